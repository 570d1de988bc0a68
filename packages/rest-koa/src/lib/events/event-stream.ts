import type { BusinessObjects, Principal } from '@steward/rest-core'
import { eventFor } from '@steward/rest-core/system'
import type { EventHub } from '@steward/rest-core/system'
import type { Context } from 'koa'
import { drained } from '../http/open-body.js'

export interface EventStreamOptions {
  readonly service: BusinessObjects
  readonly hub: EventHub
  /** Asked again before everything that is sent, so that the stream ends with the credentials and follows the rights. */
  readonly reader: () => Promise<Principal>
  /** Names of objects; absent: all. */
  readonly objects: ReadonlySet<string> | undefined
  /** Number of the last event that the client has; absent: it wants the ones from now on. */
  readonly after: number | undefined
  /** Aborted when the client has gone. */
  readonly gone: AbortSignal
  readonly heartbeatMs: number
  readonly drainMs: number
}

/** How long a client waits before it comes again, in ms. */
const retryMs = 3000

/**
 * Sends events to one client until it goes away, its credentials end, or the hub closes. Events are read as the client
 * takes them, so that a slow one costs no memory; one that takes nothing for `drainMs` is cut, and comes again where it was.
 */
export async function streamEvents(context: Context, options: EventStreamOptions): Promise<void> {
  const { service, hub, reader, objects, gone, heartbeatMs, drainMs } = options
  const { res } = context
  const last = await hub.last()
  if (gone.aborted) return
  let position = Math.min(options.after ?? last, last)
  let bytes = 0

  context.respond = false
  res.writeHead(200, {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    // Says nginx that it must not collect the answer.
    'X-Accel-Buffering': 'no',
  })
  try {
    // An id without data is not an event, and still is what a client comes again with.
    await write(`retry: ${retryMs}\nid: ${position}\n\n`)
    while (!isOver()) {
      const principal = await reader()
      const known = hub.known()
      const events = await hub.read(position)
      // What lies between is no longer kept.
      const reached = (events[0]?.number ?? known + 1) - 1
      if (reached > position) {
        await write(frame(reached, { from: position + 1, to: reached }, 'gap'))
        position = reached
        continue
      }
      let text = ''
      for (const event of events) {
        position = event.number
        const told = objects && !objects.has(event.object) ? undefined : await eventFor(service, principal, event)
        if (told) text += frame(position, told)
      }
      if (text !== '') await write(text)
      if (events.length === 0 && !(await hasNext())) await write(`:\nid: ${position}\n\n`)
    }
  } finally {
    res.end()
  }

  function isOver(): boolean {
    return gone.aborted || hub.closed.aborted
  }

  /** Waits for an event; `false` when a heartbeat is due before. */
  async function hasNext(): Promise<boolean> {
    const heartbeat = AbortSignal.timeout(heartbeatMs)
    await hub.next(position, AbortSignal.any([gone, heartbeat]))
    return !heartbeat.aborted || isOver()
  }

  async function write(text: string): Promise<void> {
    if (gone.aborted) return
    bytes += Buffer.byteLength(text)
    context.state['bytes'] = bytes
    if (res.write(text)) return
    const timer = setTimeout(() => res.destroy(), drainMs)
    await drained(context)
    clearTimeout(timer)
  }
}

function frame(id: number, data: object, type?: string): string {
  return `${type === undefined ? '' : `event: ${type}\n`}id: ${id}\ndata: ${JSON.stringify(data)}\n\n`
}
