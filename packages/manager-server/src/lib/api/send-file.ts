import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { create as contentDisposition } from 'content-disposition'
import type { Context } from 'koa'
import type { ActionResult } from '@steward/manager-core'
import { expectReader } from '../server-limits.js'

type SentFile = NonNullable<ActionResult['file']>

/**
 * Sends a file while it is made, no faster than the client reads. A failure before its first byte is answered as one;
 * after it the connection is cut off, so that a part is not taken for the whole.
 *
 * @param signal aborted when the client is gone
 */
export async function sendFile(
  context: Context,
  { name, mime, content }: SentFile,
  signal: AbortSignal,
): Promise<void> {
  const chunks = content()[Symbol.asyncIterator]()
  const first = await chunks.next()
  const { res } = context
  context.respond = false
  expectReader(context.req, true)
  res.writeHead(200, {
    'Content-Type': mime,
    'Content-Disposition': contentDisposition(basename(name)),
    'Cache-Control': 'no-store',
  })
  const all = async function* () {
    try {
      if (!first.done) yield first.value
      for (;;) {
        const next = await chunks.next()
        if (next.done) return
        yield next.value
      }
    } finally {
      await chunks.return?.()
    }
  }
  await pipeline(Readable.from(all(), { objectMode: false }), res, { signal }).catch(() => res.destroy())
}
