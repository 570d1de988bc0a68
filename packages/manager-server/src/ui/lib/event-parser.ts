/** One event of a stream that the server sends. */
export interface StreamEvent {
  readonly id: string
  readonly type: string
  /** As it came: JSON. */
  readonly data: string
}

/** A parser of `text/event-stream`; it keeps what is cut off for the next piece. Source: HTML, "Server-sent events". */
export function createEventParser(): (piece: string) => readonly StreamEvent[] {
  let rest = ''
  let id = ''
  let type = ''
  let data: string[] = []
  return (piece) => {
    const events: StreamEvent[] = []
    const lines = `${rest}${piece}`.split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() as string
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) events.push({ id, type: type || 'message', data: data.join('\n') })
        type = ''
        data = []
        continue
      }
      const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
      if (field === 'id') id = value
      else if (field === 'event') type = value
      else if (field === 'data') data.push(value)
    }
    return events
  }
}
