import { RestError } from '@steward/rest-core/errors'
import type { Middleware } from 'koa'
import { sendError } from '../http/send-error.js'
import type { SendErrorOptions } from '../http/send-error.js'

export type ErrorResponseOptions = SendErrorOptions

/**
 * Answers errors of the middlewares below it, and requests that none of them answered, in the one error form of the API.
 * `restRouter` does this for itself.
 *
 * @example
 * app.use(errorResponse({ log: pino() }))
 */
export function errorResponse(options: ErrorResponseOptions = {}): Middleware {
  return async function errorResponse(context, next) {
    try {
      await next()
      if (context.status === 404 && context.body === undefined && context.respond !== false && !context.headerSent) {
        sendError(context, RestError.notFound(`Address "${context.path.slice(0, 200)}"`), options)
      }
    } catch (error) {
      sendError(context, error, options)
    }
  }
}
