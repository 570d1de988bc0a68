import { once } from 'node:events'
import type { Context } from 'koa'
import { expectReader } from '../server-limits.js'

export interface ServerEvent {
  readonly id?: string
  readonly event: string
  /** Sent as JSON. */
  readonly data: unknown
}

/** Proxies and clients take a connection for dead on which nothing comes for long. In ms. */
const heartbeatMs = 15_000

/** Whether the client asks for events rather than for one answer. */
export function wantsEvents({ headers }: Pick<Context, 'headers'>): boolean {
  return /\btext\/event-stream\b/i.test(headers.accept ?? '')
}

/**
 * Sends events as they come, until there are no more or the client is gone; no faster than it reads.
 * Source: HTML, "Server-sent events".
 *
 * @param events is ended with the connection
 */
export async function sendEvents(context: Context, events: AsyncIterable<ServerEvent>): Promise<void> {
  const { res } = context
  context.respond = false
  // What keeps the connection is written more often.
  expectReader(context.req, true)
  res.writeHead(200, {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store',
    // nginx would keep them back.
    'X-Accel-Buffering': 'no',
  })
  res.flushHeaders()
  const heartbeat = setInterval(() => res.writableNeedDrain || res.write(':\n\n'), heartbeatMs)
  try {
    for await (const { id, event, data } of events) {
      const ok = res.write(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
      if (res.destroyed) return
      if (!ok) await Promise.race([once(res, 'drain'), once(res, 'close')])
    }
    res.end()
  } catch {
    // The status was sent already: it is cut off, and the client asks again.
    res.destroy()
  } finally {
    clearInterval(heartbeat)
  }
}
