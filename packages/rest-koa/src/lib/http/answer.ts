import type { Context } from 'koa'

/** Names and values in turn, as `ServerResponse.writeHead` takes them fastest. `send` may add to it. */
export type HeaderList = string[]

/** Not specified; chosen so that existing clients that look at the charset find it. */
const json = 'application/json; charset=utf-8'

/**
 * For records: a cache of the client may keep them and must ask again each time, which their entity tag makes cheap.
 * Everything else is not to be kept at all.
 */
const recordCaching = 'private, no-cache'
const noCaching = 'no-store'

/** Headers of a JSON (or other text) answer that nobody keeps. */
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

/** How an answer is given to Koa. */
export type Respond = 'direct' | 'koa'

/**
 * Gives the whole answer. `direct` writes it past Koa's response path, which costs a third of a record read; middlewares
 * around still see `ctx.status`, and their headers set before are kept. `koa` sets `ctx.body`, for middlewares around that
 * change bodies or set headers afterwards.
 */
export function send(context: Context, respond: Respond, status: number, headers: HeaderList, body?: string): void {
  if (respond === 'koa') return sendByKoa(context, status, headers, body)
  const { res } = context
  context.respond = false
  if (body === undefined) {
    res.writeHead(status, headers)
    res.end()
    return
  }
  const length = Buffer.byteLength(body)
  context.state['bytes'] = length
  headers.push('Content-Length', `${length}`)
  res.writeHead(status, headers)
  if (context.req.method === 'HEAD') res.end()
  else res.end(body)
}

function sendByKoa(context: Context, status: number, headers: HeaderList, body: string | undefined): void {
  // First the body: setting it changes the status and the headers about it.
  context.body = body ?? null
  context.status = status
  for (let at = 0; at < headers.length; at += 2) context.set(headers[at] as string, headers[at + 1] as string)
  if (body !== undefined) context.state['bytes'] = Buffer.byteLength(body)
}
