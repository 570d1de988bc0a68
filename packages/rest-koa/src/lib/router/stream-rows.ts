import { Readable } from 'node:stream'
import { batchBytes } from '@steward/rest-core'
import type { ByteUse } from '@steward/rest-core'
import { setImmediate } from 'node:timers/promises'
import type { Context } from 'koa'
import { markEncoded, send, textHeaders } from '../http/answer.js'
import type { Delivery } from '../http/delivery.js'
import { hasGone } from '../http/client-gone.js'
import { negotiate } from '../http/compression.js'
import type { Encoding } from '../http/compression.js'
import { openBody } from '../http/open-body.js'
import { giveStream } from '../http/send-content.js'

/** How rows become text. */
export interface RowFormat {
  readonly mediaType: string
  readonly open: string
  readonly between: string
  readonly close: string
  /** One or more rows, with `between` between them. */
  rows(batch: readonly unknown[]): string
  /** Rows that are all there is, perhaps none. */
  all(rows: readonly unknown[]): string
}

/** One JSON array. */
export const jsonArray: RowFormat = {
  mediaType: 'application/json; charset=utf-8',
  open: '[',
  between: ',',
  close: ']',
  rows: (batch) => JSON.stringify(batch).slice(1, -1),
  all: (rows) => JSON.stringify(rows),
}

/** One JSON value per line. Source: wire-decisions, "additions". */
export const jsonLines: RowFormat = {
  mediaType: 'application/x-ndjson',
  open: '',
  between: '\n',
  close: '\n',
  rows: (batch) => batch.map((row) => JSON.stringify(row)).join('\n'),
  all: (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
}

/** Written at once: large enough to be cheap, small enough to keep memory flat. */
const chunkLength = 65_536

/**
 * Answers all rows, as the client takes them. The first two batches are read before anything is sent, so that errors
 * in them have their status, and small answers their length. A later error is thrown after the headers were sent.
 * When the client goes away, reading stops.
 *
 * @param memory What the client has not taken is counted here: two batches at most. It waits before it reads more.
 */
export async function streamRows(
  context: Context,
  delivery: Delivery,
  batches: AsyncIterable<readonly unknown[]>,
  format: RowFormat,
  memory: ByteUse,
): Promise<void> {
  const headers = textHeaders(format.mediaType)
  const iterator = batches[Symbol.asyncIterator]()
  let isKoas = false
  try {
    if (context.req.method === 'HEAD') {
      negotiate(context, delivery, headers)
      return send(context, delivery, 200, headers)
    }
    await memory.hold(Math.min(2 * batchBytes, memory.most))
    const first = await iterator.next()
    const second = first.done ? first : await iterator.next()
    const start = first.done ? '' : format.rows(first.value)
    if (second.done) {
      await count(memory, start)
      return send(context, delivery, 200, headers, first.done ? format.all([]) : format.open + start + format.close)
    }
    const text = format.open + start + format.between + format.rows(second.value)
    if (delivery === 'koa') {
      isKoas = true
      giveStream(context, Readable.from(chunks(iterator, format, text, memory), { objectMode: false }))
      for (let at = 0; at < headers.length; at += 2) context.set(headers[at] as string, headers[at + 1] as string)
      return
    }
    context.respond = false
    const encoding = negotiate(context, delivery, headers)
    if (encoding) markEncoded(headers, encoding)
    context.res.writeHead(200, headers)
    await write(context, encoding, iterator, format, text, memory)
  } finally {
    if (!isKoas) await iterator.return?.()
  }
}

/** The same in pieces that Koa takes as its client takes them, after all middlewares around. */
async function* chunks(
  iterator: AsyncIterator<readonly unknown[]>,
  format: RowFormat,
  start: string,
  memory: ByteUse,
): AsyncGenerator<Buffer> {
  let text = start
  try {
    for (;;) {
      if (text.length >= chunkLength) {
        await count(memory, text)
        yield Buffer.from(text)
        text = ''
        await setImmediate()
      }
      const { done, value } = await iterator.next()
      text += done ? format.close : format.between + format.rows(value)
      if (!done) continue
      await count(memory, text)
      return yield Buffer.from(text)
    }
  } finally {
    await iterator.return?.()
  }
}

async function write(
  context: Context,
  encoding: Encoding | undefined,
  iterator: AsyncIterator<readonly unknown[]>,
  format: RowFormat,
  start: string,
  memory: ByteUse,
): Promise<void> {
  const body = openBody(context, encoding)
  let text = start
  while (!hasGone(context)) {
    if (text.length >= chunkLength) {
      await count(memory, text)
      await body.write(text)
      text = ''
      // A store that answers at once would otherwise keep the event loop from all other requests.
      await setImmediate()
      if (hasGone(context)) return
    }
    const { done, value } = await iterator.next()
    text += done ? format.close : format.between + format.rows(value)
    if (!done) continue
    await count(memory, text)
    return body.end(text)
  }
}

/** Holds a text and the batch that is read ahead, which is about as large, in place of what was held before. */
function count(memory: ByteUse, { length }: string): void | Promise<void> {
  void memory.hold(0)
  return memory.hold(Math.min(2 * length, memory.most))
}
