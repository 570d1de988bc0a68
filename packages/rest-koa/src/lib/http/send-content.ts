import { Transform } from 'node:stream'
import type { Readable } from 'node:stream'
import type { Context } from 'koa'
import { markEncoded, sendWhole } from './answer.js'
import type { Delivery, HeaderList } from './delivery.js'
import { clientGone, hasGone } from './client-gone.js'
import { negotiate } from './compression.js'
import type { Encoding } from './compression.js'
import { openBody } from './open-body.js'
import { cut, keepPace, type Pace } from './pace.js'

/** What is answered: all bytes, or a stream of them, whose length may be known beforehand. */
export type Content = Uint8Array | { readonly stream: Readable; readonly length?: number | undefined }

/**
 * Gives an answer of bytes. `HEAD` gets the same headers. A stream is read as the client takes
 * it, and destroyed when the client goes away or asked for the headers only. A stream that fails before its first byte is
 * an error with its own status; one that fails later is thrown after the headers were sent.
 *
 * @param pace Default: the client takes all the time it wants.
 */
export async function sendContent(
  context: Context,
  delivery: Delivery,
  status: number,
  headers: HeaderList,
  content: Content,
  pace?: Pace,
): Promise<void> {
  const { req, res } = context
  const isHead = req.method === 'HEAD'
  const stream = content instanceof Uint8Array ? undefined : content.stream
  if (stream) {
    const gone = clientGone(context)
    const giveUp = (): void => void stream.destroy()
    if (gone.aborted) giveUp()
    else gone.addEventListener('abort', giveUp)
    if (!isHead) await readyToRead(stream)
  }
  if (delivery === 'koa' && !hasGone(context)) return sendContentByKoa(context, status, headers, content, pace)
  context.respond = false
  if (hasGone(context)) return
  if (content instanceof Uint8Array) return sendWhole(context, delivery, status, headers, content, content.length)
  const encoding = negotiate(context, delivery, headers, content.length)
  if (encoding) markEncoded(headers, encoding)
  else if (content.length !== undefined) headers.push('Content-Length', `${content.length}`)
  res.writeHead(status, headers)
  if (!isHead) return write(context, content.stream, encoding, pace)
  content.stream.destroy()
  res.end()
}

function sendContentByKoa(
  context: Context,
  status: number,
  headers: HeaderList,
  content: Content,
  pace: Pace | undefined,
): void {
  const { length } = content
  if (content instanceof Uint8Array) {
    context.body = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
    context.state['bytes'] = length
  } else {
    giveStream(context, content.stream, pace)
  }
  context.status = status
  for (let at = 0; at < headers.length; at += 2) context.set(headers[at] as string, headers[at + 1] as string)
  if (length !== undefined) context.length = length
}

/** Makes a stream the body. When it fails after its first byte, Koa cuts the connection. */
export function giveStream(context: Context, stream: Readable, pace?: Pace): void {
  let bytes = 0
  const counted = stream.pipe(
    new Transform({
      transform(chunk: Buffer, _encoding, done) {
        context.state['bytes'] = bytes += chunk.length
        done(null, chunk)
      },
    }),
  )
  stream.once('error', (error) => counted.destroy(error))
  counted.once('close', () => stream.destroy())
  if (pace) keepPaceOf(counted)
  context.body = counted

  function keepPaceOf(parts: Transform): void {
    keepPace(context, pace as Pace)
    let before = 0
    const timer = setInterval(
      () => {
        if (bytes === before && parts.readableLength > 0) cut(context)
        before = bytes
      },
      (pace as Pace).stallMs,
    )
    parts.once('close', () => clearInterval(timer))
  }
}

/** Waits for the first bytes, the end or the failure of a stream. */
function readyToRead(stream: Readable): Promise<void> {
  if (stream.errored) return Promise.reject(stream.errored)
  if (stream.readableLength > 0 || stream.readableEnded || stream.destroyed) return Promise.resolve()
  return new Promise((resolve, reject) => {
    const stop = (): void =>
      void stream.off('readable', onReady).off('end', onReady).off('close', onReady).off('error', onError)
    const onReady = (): void => {
      stop()
      resolve()
    }
    const onError = (error: Error): void => {
      stop()
      reject(error)
    }
    stream.on('readable', onReady).on('end', onReady).on('close', onReady).on('error', onError)
  })
}

async function write(
  context: Context,
  stream: Readable,
  encoding: Encoding | undefined,
  pace: Pace | undefined,
): Promise<void> {
  const body = openBody(context, encoding, pace)
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array | string>) {
      await body.write(chunk)
      if (hasGone(context)) break
    }
    body.end()
  } catch (error) {
    // Reading ends with an error also when the client went away.
    if (!hasGone(context)) throw error
  }
}
