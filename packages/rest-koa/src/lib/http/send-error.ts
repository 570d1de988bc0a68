import { RestError, StoreError } from '@steward/rest-core/errors'
import type { ErrorCode } from '@steward/rest-core/errors'
import type { Context } from 'koa'
import { send, textHeaders } from './answer.js'
import { hasGone } from './client-gone.js'
import type { Respond } from './delivery.js'
import type { ErrorBody } from './error-body.js'
import type { Log } from './log.js'
import { reportFailure, reportRefusal, reportUnavailable, requestIdOf } from './report.js'

export interface SendErrorOptions {
  /**
   * Called on failures: each 500 with its error, 503 and values that the database refused at most once a second with a
   * count. Default: the application's `error` event, which Koa prints; nothing for refused values.
   */
  readonly log?: Log | undefined
  /** See `restRouter`. Default `koa`. */
  readonly respond?: Respond | undefined
}

/**
 * Answers an error as `{error, status, code, messages}`. Source: docs/spec/wire-decisions.md, "errors".
 *
 * An answer that has started is broken off, so that no client takes it for a complete one.
 */
export function sendError(context: Context, thrown: unknown, { log, respond = 'koa' }: SendErrorOptions = {}): void {
  const error = toRestError(thrown)
  const hidden = error.status === 500
  // A client that is gone has often ended what was done for it.
  if (error.status === 503 && hasGone(context)) return
  if (error.status === 503) reportUnavailable(context, error, log)
  else if (isRefusal(error)) reportRefusal(context, error, log)
  else if (hidden || context.res.headersSent) reportFailure(context, thrown, log)
  if (context.res.headersSent) {
    context.res.destroy()
    return
  }
  if (error.retryAfterSeconds !== undefined)
    context.set('Retry-After', `${Math.max(1, Math.ceil(error.retryAfterSeconds))}`)
  const text = hidden
    ? `The request failed inside the server. The log has more under the request id ${requestIdOf(context)}.`
    : error.message
  const { status, code, messages } = error
  const body: ErrorBody = { error: text, status, code, messages: hidden ? [] : messages }
  if (endsBody.has(status) && !context.req.complete) sendAndClose(context, status, JSON.stringify(body))
  else send(context, respond, status, textHeaders(), JSON.stringify(body))
}

/** Answers after which a body is not read any further. */
const endsBody: ReadonlySet<number> = new Set([408, 413, 503])

/** Rules of the database that refuse whole requests. */
const ruleCodes: ReadonlySet<string> = new Set(['right', 'rows', 'broken'])

/** The client learns which field the database refused, the operator what the database said. */
function isRefusal({ status, cause }: RestError): boolean {
  return StoreError.is(cause) && (status === 400 || ruleCodes.has(cause.code))
}

const codeOfStatus: Readonly<Record<number, ErrorCode>> = {
  400: 'ERR_BAD_REQUEST',
  401: 'ERR_CREDENTIALS',
  403: 'ERR_RIGHT',
  404: 'ERR_NOT_FOUND',
  405: 'ERR_METHOD',
  409: 'ERR_CONFLICT',
  412: 'ERR_PRECONDITION',
  413: 'ERR_TOO_LARGE',
  415: 'ERR_MEDIA_TYPE',
  429: 'ERR_TOO_MANY',
  503: 'ERR_UNAVAILABLE',
}

/** Also takes errors of Koa's `ctx.throw` (when they may be shown) and of a store. */
function toRestError(error: unknown): RestError {
  if (RestError.is(error)) return error
  if (StoreError.is(error) && error.retry) {
    const text = {
      overloaded: 'The server is busy.',
      readOnly: 'The database takes no changes now.',
    }[error.code as string]
    return new RestError('ERR_UNAVAILABLE', `${text ?? 'The database cannot be reached.'} Try again.`, {
      cause: error,
      retryAfterSeconds: 2,
    })
  }
  const { status, expose, message } = (error ?? {}) as { status?: number; expose?: boolean; message?: string }
  const code = expose === true && status !== undefined ? codeOfStatus[status] : undefined
  return new RestError(code ?? 'ERR_INTERNAL', message ?? String(error), { cause: error })
}

/** How long a client that is still sending gets to notice the answer before the connection is cut. */
const lingerMs = 1000

/**
 * Answers while the client is still sending, and ends the connection. What still comes is thrown away for a moment:
 * closing a connection with unread data makes the client's system discard the answer.
 */
function sendAndClose(context: Context, status: number, body: string): void {
  const { req, res } = context
  context.respond = false
  context.state['bytes'] = Buffer.byteLength(body)
  const headers = [...textHeaders(), 'Content-Length', `${Buffer.byteLength(body)}`]
  if (req.httpVersionMajor < 2) headers.push('Connection', 'close')
  res.writeHead(status, headers)
  res.write(body)
  const timer = setTimeout(end, lingerMs)
  req.once('end', end).once('close', end).resume()
  function end(): void {
    clearTimeout(timer)
    res.end()
  }
}
