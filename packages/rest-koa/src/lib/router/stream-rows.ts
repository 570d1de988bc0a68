import { Readable } from 'node:stream'
import type { ByteUse } from '@steward/rest-core'
import { setImmediate } from 'node:timers/promises'
import type { Context } from 'koa'
import { markEncoded, send, textHeaders } from '../http/answer.js'
import type { Delivery } from '../http/delivery.js'
import { hasGone } from '../http/client-gone.js'
import { negotiate } from '../http/compression.js'
import { openBody, type OpenBody } from '../http/open-body.js'
import { standardPace, type Pace } from '../http/pace.js'
import { giveStream } from '../http/send-content.js'
import type { Recheck } from './recheck.js'

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

/** One JSON value per line. Source: docs/spec/wire-decisions.md, "additions". */
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

/** Text that was made and not sent. */
interface Unsent {
  text: string
}

export interface StreamOptions {
  /** What the client has not taken is counted here: two batches at most. It waits before it reads more. */
  readonly memory: ByteUse
  /** How slow the client may be. */
  readonly pace?: Pace
  /** Default: its reader keeps the right to it. */
  readonly recheck?: Recheck
}

/**
 * Answers all rows, as the client takes them. The first two batches are read before anything is sent, so that errors
 * in them have their status, and small answers their length. A later error is thrown after the headers were sent.
 * When the client goes away, reading stops; one that is too slow, or has lost the right to the rows, is cut.
 */
export async function streamRows(
  context: Context,
  delivery: Delivery,
  batches: AsyncIterable<readonly unknown[]>,
  format: RowFormat,
  { memory, pace = standardPace, recheck = () => true }: StreamOptions,
): Promise<void> {
  const headers = textHeaders(format.mediaType)
  const iterator = batches[Symbol.asyncIterator]()
  let isKoas = false
  try {
    if (context.req.method === 'HEAD') {
      negotiate(context, delivery, headers)
      return send(context, delivery, 200, headers)
    }
    // How large the batches are is not known before.
    await memory.hold(memory.most / 4)
    const { text, isAll } = await readFirst(iterator, format)
    await count(memory, text)
    if (isAll) return send(context, delivery, 200, headers, text)
    const texts = chunks(iterator, format, { text }, memory, recheck)
    if (delivery === 'koa') {
      isKoas = true
      giveStream(context, Readable.from(forKoa(texts, iterator), { objectMode: false }), pace)
      for (let at = 0; at < headers.length; at += 2) context.set(headers[at] as string, headers[at + 1] as string)
      return
    }
    context.respond = false
    const encoding = negotiate(context, delivery, headers)
    if (encoding) markEncoded(headers, encoding)
    context.res.writeHead(200, headers)
    await write(context, openBody(context, encoding, pace), texts)
  } finally {
    if (!isKoas) await iterator.return?.()
  }
}

/** Text of the first two batches; `isAll`: there are no more. */
async function readFirst(
  iterator: AsyncIterator<readonly unknown[]>,
  format: RowFormat,
): Promise<{ readonly text: string; readonly isAll: boolean }> {
  const first = await iterator.next()
  if (first.done) return { text: format.all([]), isAll: true }
  const start = format.open + format.rows(first.value)
  const second = await iterator.next()
  return second.done
    ? { text: start + format.close, isAll: true }
    : { text: start + format.between + format.rows(second.value), isAll: false }
}

/** All text in pieces. */
async function* chunks(
  iterator: AsyncIterator<readonly unknown[]>,
  format: RowFormat,
  unsent: Unsent,
  memory: ByteUse,
  recheck: Recheck,
): AsyncGenerator<string> {
  for (;;) {
    if (unsent.text.length >= chunkLength) {
      await count(memory, unsent.text)
      if (!(await recheck())) return
      yield take(unsent)
      // A store that answers at once would otherwise keep the event loop from all other requests.
      await setImmediate()
    }
    const { done, value } = await iterator.next()
    unsent.text += done ? format.close : format.between + format.rows(value)
    if (!done) continue
    await count(memory, unsent.text)
    if (await recheck()) yield take(unsent)
    return
  }
}

/** It is not kept here while the client takes it. */
function take(unsent: Unsent): string {
  const { text } = unsent
  unsent.text = ''
  return text
}

/** The same in pieces that Koa takes as its client takes them, after all middlewares around. */
async function* forKoa(
  texts: AsyncIterable<string>,
  iterator: AsyncIterator<readonly unknown[]>,
): AsyncGenerator<Buffer> {
  try {
    for await (const text of texts) yield Buffer.from(text)
  } finally {
    await iterator.return?.()
  }
}

async function write(context: Context, body: OpenBody, texts: AsyncIterable<string>): Promise<void> {
  for await (const text of texts) {
    await body.write(text)
    if (hasGone(context)) return
  }
  if (!hasGone(context)) body.end()
}

/** Holds a text and the batch that is read ahead, which is about as large, in place of what was held before. */
function count(memory: ByteUse, { length }: string): void | Promise<void> {
  return memory.hold(Math.min(2 * length, memory.most))
}
