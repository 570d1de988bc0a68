import type { Middleware } from 'koa'
import type { Manager } from '@steward/manager-core'
import type { Addressing } from './addressing.js'

/** `/ping` for those who look whether the server is there: `{"status":"OK"}`, or 503 when its registry cannot be read. */
export function pingRoute({
  manager,
  addressing,
}: {
  readonly manager: Manager
  readonly addressing: Addressing
}): Middleware {
  return async (context, next) => {
    if (addressing.below(context.path) !== '/ping') return next()
    context.set('Cache-Control', 'no-store')
    try {
      manager.context.registry.count()
      context.body = { status: 'OK' }
    } catch {
      context.status = 503
      context.body = { status: 'KO' }
    }
  }
}
