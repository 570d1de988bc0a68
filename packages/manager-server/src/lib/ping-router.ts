import type { Router } from '@koa/router'
import type { Manager } from '@steward/manager-core'
import type { Addressing } from './addressing.js'
import { createRouter } from './create-router.js'
import type { ServerState } from './server-state.js'

/** `/ping` for those who look whether the server is there: `{"status":"OK"}`, or 503 when its registry cannot be read. */
export function pingRouter({
  manager,
  addressing,
}: {
  readonly manager: Manager
  readonly addressing: Addressing
}): Router<ServerState> {
  return createRouter(addressing).all('ping', '/ping', (context) => {
    context.set('Cache-Control', 'no-store')
    try {
      manager.context.registry.count()
      context.body = { status: 'OK' }
    } catch {
      context.status = 503
      context.body = { status: 'KO' }
    }
  })
}
