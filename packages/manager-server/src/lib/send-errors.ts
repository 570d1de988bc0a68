import type { Middleware } from 'koa'
import { ManagerError, type Outcome } from '@steward/manager-core/errors'
import { HttpError } from './http-error.js'

/** Each outcome's HTTP status. Source: wire-decisions, "every API answer". */
const httpStatus: Readonly<Record<Outcome, number>> = {
  failed: 500,
  usage: 400,
  'not-found': 404,
  refused: 409,
  busy: 423,
  'rolled-back': 500,
  attention: 500,
}

/** As the command line's exit codes. */
const statuses: Readonly<Record<Outcome, number>> = {
  failed: 1,
  usage: 2,
  'not-found': 3,
  refused: 4,
  busy: 5,
  'rolled-back': 6,
  attention: 7,
}

/** The one place that turns failures into answers: `{status, message, code, help?, command?, output?, operation?}`. */
export function sendErrors(): Middleware {
  return async (context, next) => {
    try {
      await next()
    } catch (error) {
      context.set('Cache-Control', 'no-store')
      if (error instanceof HttpError) {
        context.status = error.status
        context.set(error.headers)
        const { code, message, help } = error
        context.body = { status: 4, message, code, ...(help !== undefined && { help }) }
      } else if (error instanceof ManagerError) {
        context.status = httpStatus[error.outcome]
        const { code, message, help, command, output, operation, outcome } = error
        context.body = { status: statuses[outcome], message, code, help, command, output, operation }
      } else {
        context.status = 500
        context.body = { status: 1, message: 'Internal error.', code: 'ERR_FAILED' }
        context.app.emit('error', error, context)
      }
    }
  }
}
