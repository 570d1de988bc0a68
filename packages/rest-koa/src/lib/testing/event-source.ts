/** A stream of events as tests look at it. */
export interface EventSourceForTest {
  readonly response: Response
  /** All that came so far: id, type (default `message`) and parsed data; ids without data are not in it. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into data of every shape
  readonly events: { readonly id: string; readonly type: string; readonly data: any }[]
  /** The id that a browser would come again with. */
  lastEventId(): string
  /** Resolves when the server ended the stream. */
  readonly ended: Promise<void>
  close(): void
}

/** Opens a stream as a browser's `EventSource` does, which cannot send an authorization header. */
export async function openEventSource(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<EventSourceForTest> {
  const abort = new AbortController()
  const response = await fetch(url, { headers: { accept: 'text/event-stream', ...headers }, signal: abort.signal })
  const events: EventSourceForTest['events'] = []
  let lastEventId = ''
  return {
    response,
    events,
    lastEventId: () => lastEventId,
    ended: read().catch((error: unknown) => {
      if (!abort.signal.aborted) throw error
    }),
    close: () => abort.abort(),
  }

  async function read(): Promise<void> {
    let rest = ''
    for await (const text of (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + text).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) readBlock(block)
    }
  }

  function readBlock(block: string): void {
    const fields = new Map(
      block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
    )
    lastEventId = fields.get('id') ?? lastEventId
    const data = fields.get('data')
    if (data !== undefined)
      events.push({ id: lastEventId, type: fields.get('event') ?? 'message', data: JSON.parse(data) })
  }
}
