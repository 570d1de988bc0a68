import type { Context } from 'koa'
import { compressSync, negotiate, synchronousUpTo } from './compression.js'
import type { Encoding } from './compression.js'
import type { Delivery, HeaderList } from './delivery.js'
import { openBody } from './open-body.js'

/** Not specified; chosen so that existing clients that look at the charset find it. */
const json = 'application/json; charset=utf-8'

/**
 * For records: a cache of the client may keep them and must ask again each time, which their entity tag makes cheap.
 * Everything else is not to be kept at all.
 */
const recordCaching = 'private, no-cache'
const noCaching = 'no-store'

/** Headers of a JSON (or other text) answer that is not to be cached. */
export function textHeaders(type: string = json): HeaderList {
  return ['Content-Type', type, 'X-Content-Type-Options', 'nosniff', 'Cache-Control', noCaching]
}

/** Headers of a record. */
export function taggedHeaders(tag: string): HeaderList {
  return ['Content-Type', json, 'X-Content-Type-Options', 'nosniff', 'Cache-Control', recordCaching, 'ETag', tag]
}

/** Headers of a record that the client has already. */
export function notModifiedHeaders(tag: string): HeaderList {
  return ['X-Content-Type-Options', 'nosniff', 'Cache-Control', recordCaching, 'ETag', tag]
}

/** Headers of an answer without a body. */
export function emptyHeaders(): HeaderList {
  return ['X-Content-Type-Options', 'nosniff', 'Cache-Control', noCaching]
}

/**
 * Gives the whole answer. `direct` writes it past Koa's response path, which costs a third of a record read; middlewares
 * around still see `ctx.status`, and their headers set before are kept. `koa` sets `ctx.body`, for middlewares around that
 * change bodies or set headers afterwards.
 */
export function send(
  context: Context,
  delivery: Delivery,
  status: number,
  headers: HeaderList,
  body?: string | Buffer,
): void {
  if (delivery === 'koa') return sendByKoa(context, status, headers, body)
  const { res } = context
  context.respond = false
  if (body !== undefined) return sendWhole(context, delivery, status, headers, body, Buffer.byteLength(body))
  res.writeHead(status, headers)
  res.end()
}

/** Writes a body whose length is known past Koa. */
export function sendWhole(
  context: Context,
  delivery: Delivery,
  status: number,
  headers: HeaderList,
  body: string | Uint8Array,
  length: number,
): void {
  const { req, res } = context
  const encoding = negotiate(context, delivery, headers, length)
  if (encoding) markEncoded(headers, encoding)
  const isStreamed = encoding && length > synchronousUpTo
  const content = encoding && !isStreamed ? compressSync(body, encoding) : body
  const sent = encoding ? content.length : length
  if (!isStreamed) {
    context.state['bytes'] = sent
    headers.push('Content-Length', `${sent}`)
  }
  res.writeHead(status, headers)
  if (req.method === 'HEAD') res.end()
  else if (isStreamed) openBody(context, encoding).end(body)
  else res.end(content)
}

/** Says in the headers of an answer that its body is compressed. */
export function markEncoded(headers: HeaderList, encoding: Encoding): void {
  headers.push('Content-Encoding', encoding)
  tagEncoded(headers, encoding)
}

/** Gives the entity tag in the headers the form that it has for a compressed body. */
export function tagEncoded(headers: HeaderList, encoding: Encoding): void {
  const tag = headers.indexOf('ETag') + 1
  if (tag > 0) headers[tag] = taggedAs(headers[tag] as string, encoding)
}

/** The entity tag of a compressed body: other bytes need another one. Source: RFC 9110, section 8.8.3.3. */
export function taggedAs(tag: string, encoding: Encoding): string {
  return `${tag.slice(0, -1)}-${encoding}"`
}

function sendByKoa(context: Context, status: number, headers: HeaderList, body: string | Buffer | undefined): void {
  // First the body: setting it changes the status and the headers about it.
  context.body = body ?? null
  context.status = status
  for (let at = 0; at < headers.length; at += 2) context.set(headers[at] as string, headers[at + 1] as string)
  if (body !== undefined) context.state['bytes'] = Buffer.byteLength(body)
}
