import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'
import { setImmediate } from 'node:timers/promises'
import type { ByteUse } from '@steward/rest-core'
import { RestError } from '@steward/rest-core/errors'
import type { Context } from 'koa'
import { Pieces } from '../http/pieces.js'
import { parseJson } from './json.js'
import { parseQuery } from './query-string.js'

/** What a body may take. */
export interface BodyLimits {
  /** Most bytes. */
  readonly bytes: number
  /** Counts what has come. Default: it is not counted. */
  readonly memory?: (() => ByteUse) | undefined
  /** How long a client may send nothing, in ms. Default 30,000. */
  readonly silenceMs?: number | undefined
}

/**
 * The JSON body of a create or update; `{}` when there is none. A body that another middleware has parsed already is
 * taken from `ctx.request.body`.
 *
 * Source: docs/spec/rest-service.md, "Endpoints", rule 2; docs/spec/wire-decisions.md, "body not application/json".
 *
 * @throws RestError ERR_MEDIA_TYPE, ERR_TOO_LARGE, ERR_BAD_REQUEST, ERR_TIMEOUT, ERR_UNAVAILABLE
 */
export async function readJsonBody(context: Context, limits: BodyLimits): Promise<unknown> {
  const { req } = context
  if (!hasBody(req)) return {}
  checkMediaType(req, [json])
  const parsed = parsedBody(context)
  return parsed === undefined ? parseBody(await readText(req, limits)) : parsed
}

/**
 * Parameters in a body, a JSON object or a form, by name; one that a form repeats is an array. `{}` when there is none.
 *
 * @throws RestError as {@link readJsonBody}
 */
export async function readParametersBody(context: Context, limits: BodyLimits): Promise<Record<string, unknown>> {
  const { req } = context
  if (!hasBody(req)) return {}
  const type = checkMediaType(req, [json, form])
  const read = async () =>
    type === form
      ? fromPairs(await readText(req, { ...limits, bytes: Math.min(limits.bytes, mostFormBytes) }))
      : parseBody(await readText(req, limits))
  const body = parsedBody(context) ?? (await read())
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Record<string, unknown>
  throw new RestError('ERR_BAD_REQUEST', 'The body must be a JSON object of parameters.')
}

const json = 'application/json'
const form = 'application/x-www-form-urlencoded'

/** Not specified; chosen because decoding takes ten times as long as for JSON, and pages send less. */
const mostFormBytes = 2 ** 20

/** A smaller body is not counted. */
const uncounted = 2 ** 16

/** From this length on, other requests come between two steps of the work. */
const long = 2 ** 18

async function parseBody(text: string): Promise<unknown> {
  const body = parseJson(text)
  if (text.length > long) await setImmediate()
  return body
}

function fromPairs(text: string): Record<string, unknown> {
  const values: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  for (const [name, value] of parseQuery(text)) {
    values[name] = name in values ? [values[name], value].flat() : value
  }
  return values
}

/** What another middleware has read. */
function parsedBody(context: Context): unknown {
  return (context.request as { body?: unknown }).body
}

async function readText(req: IncomingMessage, limits: BodyLimits): Promise<string> {
  const bytes = await readBytes(req, limits)
  if (!isUtf8(bytes)) throw new RestError('ERR_BAD_REQUEST', 'The body is not UTF-8.')
  const text = bytes.toString('utf8', hasByteOrderMark(bytes) ? 3 : 0)
  if (text.length > long) await setImmediate()
  return text
}

type MaybeHttp2 = IncomingMessage & { readonly stream?: Pick<ServerHttp2Stream, 'endAfterHeaders'> }

/** Whether the request has a body that is not empty, as its headers say. */
export function hasBody(req: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': transfer } = req.headers
  if (length !== undefined) return length !== '0'
  // In HTTP/2 nothing is said about a body: it is there unless the stream ended with the headers.
  return transfer !== undefined || (req as MaybeHttp2).stream?.endAfterHeaders === false
}

/** The one of `allowed` that the body is. */
function checkMediaType({ headers }: IncomingMessage, allowed: readonly [string, ...string[]]): string {
  const type = headers['content-type'] ?? ''
  let found = allowed.find((name) => name === type)
  if (!found) {
    const [name = '', ...rest] = type.split(';')
    found = allowed.find((other) => other === name.trim().toLowerCase())
    if (!found) {
      const sent = type === '' ? 'none' : `"${type.slice(0, 100)}"`
      const names = allowed.map((other) => `"Content-Type: ${other}"`).join(' or ')
      throw new RestError('ERR_MEDIA_TYPE', `A body needs the header ${names}; it had ${sent}.`)
    }
    const charset = /(?:^|;)\s*charset\s*=\s*"?([^";\s]*)/i.exec(rest.join(';'))?.[1]
    if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
      throw new RestError(
        'ERR_MEDIA_TYPE',
        `The charset "${charset.slice(0, 100)}" of the body is not supported; send UTF-8.`,
      )
    }
  }
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    throw new RestError(
      'ERR_MEDIA_TYPE',
      `The content encoding "${encoding.slice(0, 100)}" of the body is not supported; send it plain.`,
    )
  }
  return found
}

/** How long a client may send nothing. Not specified; chosen as for a connection that is lost. */
const silence = 30_000

/** Reads the whole body, never more than the limit, as fast as there is memory for it. */
export function readBytes(
  req: IncomingMessage,
  { bytes: limitBytes, memory, silenceMs = silence }: BodyLimits,
): Promise<Buffer> {
  if (Number(req.headers['content-length']) > limitBytes) return Promise.reject(tooLarge(limitBytes))
  if (req.readableEnded) {
    return Promise.reject(new Error('The request body was read by another middleware, which left no ctx.request.body.'))
  }
  return new Promise((resolve, reject) => {
    const pieces = new Pieces()
    let length = 0
    let use: ByteUse | undefined
    let timer: NodeJS.Timeout | undefined
    let isStopped = false
    // Most bodies come together with their headers.
    queueMicrotask(() => {
      if (isStopped || req.complete) return
      timer = setTimeout(() => fail(new RestError('ERR_TIMEOUT', 'The body did not arrive in time.')), silenceMs)
    })
    const stop = (): void => {
      isStopped = true
      clearTimeout(timer)
      req.off('data', onData).off('end', onEnd).off('error', onClose).off('close', onClose)
    }
    const fail = (error: Error): void => {
      stop()
      req.pause()
      pieces.clear()
      use?.release()
      reject(error)
    }
    const onData = (chunk: Buffer): void => {
      length += chunk.length
      timer?.refresh()
      if (length > limitBytes) return fail(tooLarge(limitBytes))
      pieces.add(chunk)
      if (memory && length > uncounted) count((use ??= memory()))
    }
    const count = (counted: ByteUse): void => {
      try {
        // What is larger than an answer may be counts as that much.
        const waiting = counted.hold(Math.min(length, counted.most))
        if (!waiting) return
        req.pause()
        waiting.then(() => {
          timer?.refresh()
          req.resume()
        }, fail)
      } catch (error) {
        fail(error as Error)
      }
    }
    const onEnd = (): void => {
      stop()
      resolve(pieces.take())
    }
    const onClose = (): void => {
      stop()
      reject(new RestError('ERR_BAD_REQUEST', 'The connection ended before the body did.'))
    }
    if (req.destroyed) return onClose()
    req.on('data', onData).on('end', onEnd).on('error', onClose).on('close', onClose)
  })
}

function tooLarge(limitBytes: number): RestError {
  return new RestError('ERR_TOO_LARGE', `The body is larger than ${limitBytes} bytes.`)
}

function hasByteOrderMark(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
}
