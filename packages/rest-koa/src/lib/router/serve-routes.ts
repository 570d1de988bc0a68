import type { Layer, RouterContext, RouterMiddleware } from '@koa/router'
import type { Next } from 'koa'
import { layerOf, sentParameters } from '../routing/service-router.js'
import type { ServedRoute } from '../routing/service-router.js'
import { isOfRoute, readTarget } from './address.js'
import type { HasZero, Sent, Target } from './address.js'
import { routes } from './routes.js'

/** Answers a request; `read` says what it is about. */
export type Answer = (context: RouterContext, read: (hasZero: HasZero) => Target) => Promise<void> | void

const plain: ReadonlySet<string> = new Set(['row', 'object', 'info'])

/** The routes of the service with their handlers, the most special ones first. */
export function serveRoutes(answer: Answer): ServedRoute[] {
  return routes.toReversed().map((route) => {
    const handler: RouterMiddleware = (context: RouterContext, next: Next) => {
      const sent: Sent = sentParameters(layerOf(context, handler) as Layer, context.captures ?? [])
      return isOfRoute(route, sent, context.path)
        ? answer(context, (hasZero) => readTarget(route, sent, hasZero))
        : next()
    }
    return { name: route.name, path: route.path, handler, isPlain: plain.has(route.name) }
  })
}
