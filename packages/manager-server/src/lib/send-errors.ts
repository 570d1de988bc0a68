import type { Middleware } from 'koa'
import { failureAnswerOf } from '@steward/manager-core'
import { exitCodeOf, ManagerError, outcomeOf, type ManagerErrorCode, type Outcome } from '@steward/manager-core/errors'
import { termsFor } from './api/api-terms.js'
import { HttpError } from './http-error.js'

/** Each outcome's HTTP status. Source: docs/spec/wire-decisions.md, "every API answer". */
const httpStatuses: Readonly<Record<Outcome, number>> = {
  failed: 500,
  usage: 400,
  'not-found': 404,
  refused: 409,
  busy: 423,
  'rolled-back': 500,
  attention: 500,
}

/** A caller without rights learns so; a full disk has a status of its own, as it passes. */
export function httpStatusOf(code: ManagerErrorCode): number {
  if (code === 'ERR_ACCESS') return 403
  return code === 'ERR_DISK' ? 507 : httpStatuses[outcomeOf[code]]
}

/** The one place that turns failures into answers: see `failureAnswerOf`. */
export function sendErrors(): Middleware {
  return async (context, next) => {
    try {
      await next()
    } catch (error) {
      // Nothing else may be said any more.
      if (context.headerSent || !context.writable) return void context.res.destroy()
      context.set('Cache-Control', 'no-store')
      if (error instanceof HttpError) {
        context.status = error.status
        context.set(error.headers)
        const { code, message, help } = error
        const answer = { status: exitCodeOf[outcomeOf[code]], message, code, ...(help !== undefined && { help }) }
        context.body = termsFor(context, answer)
      } else if (ManagerError.is(error)) {
        context.status = httpStatusOf(error.code)
        context.body = termsFor(context, failureAnswerOf(error))
      } else {
        context.status = 500
        context.body = { status: 1, message: 'Internal error.', code: 'ERR_FAILED' }
        context.app.emit('error', error, context)
      }
    }
  }
}
