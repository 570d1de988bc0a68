import { randomUUID } from 'node:crypto'
import type { RestError } from '@steward/rest-core/errors'
import { StoreError } from '@steward/rest-core/errors'
import type { Context } from 'koa'
import type { Log } from './log.js'

/** The id of the request, made up when no `requestId()` middleware did. */
export function requestIdOf({ state }: Context): string {
  return (state['requestId'] ??= randomUUID()) as string
}

/** Reports an error with all details; without a log, by the application's `error` event. */
export function reportFailure(context: Context, thrown: unknown, log: Log | undefined): void {
  const { method, path } = context
  if (log) log.error({ requestId: requestIdOf(context), method, path, err: thrown }, 'request failed')
  else context.app.emit('error', thrown instanceof Error ? thrown : new Error(String(thrown)), context)
}

/** Not specified; chosen so that a log stays readable while a database is away. */
const quietMs = 1000

/** For each log, how many lines of each code were left out since the last one. */
const leftOutOf = new WeakMap<object, Map<string, number>>()

/**
 * Reports a request that could not be served for now, in one line, at most one per code and second. The next line says
 * how many were left out. Without a log it is the application's `error` event, as seldom.
 */
export function reportUnavailable(context: Context, error: RestError, log: Log | undefined): void {
  seldom(context, error, log, 'not served')
}

/** Reports in the same way what a database said about a value that it refused. Without a log nothing is reported, because the mistake is the client's. */
export function reportRefusal(context: Context, error: RestError, log: Log | undefined): void {
  if (log) seldom(context, error, log, 'refused by the database')
}

function seldom(context: Context, error: RestError, log: Log | undefined, outcome: string): void {
  const { code, message: reason } = StoreError.is(error.cause) ? error.cause : error
  const leftOut = countsOf(log ?? context.app)
  const count = leftOut.get(code)
  if (count !== undefined) return void leftOut.set(code, count + 1)
  const { method, path } = context
  if (log) log.warn({ requestId: requestIdOf(context), method, path, code, reason }, `request ${outcome}`)
  else context.app.emit('error', error, context)
  keepQuiet(leftOut, code, log, outcome)
}

function countsOf(listener: object): Map<string, number> {
  let counts = leftOutOf.get(listener)
  if (!counts) leftOutOf.set(listener, (counts = new Map()))
  return counts
}

function keepQuiet(leftOut: Map<string, number>, code: string, log: Log | undefined, outcome: string): void {
  leftOut.set(code, 0)
  setTimeout(() => {
    const count = leftOut.get(code)
    leftOut.delete(code)
    if (!count || !log) return
    log.warn({ code, count }, `more requests ${outcome}`)
    keepQuiet(leftOut, code, log, outcome)
  }, quietMs).unref()
}
