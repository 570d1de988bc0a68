import { createSqliteStore } from '@steward/db-adapters/sqlite'
import { createBusinessObjects, createModel, createPrincipal, createRights, defineObject } from '@steward/rest-core'
import { RestError } from '@steward/rest-core/errors'
import { errorResponse, restRouter } from '@steward/rest-koa'
import { recordsRouter } from '@steward/rest-pages'
import Router from '@koa/router'
import Koa from 'koa'
import type { Context } from 'koa'

export const Task = defineObject({
  name: 'Task',
  fields: {
    tsk_title: { type: 'string', length: 100, required: true },
    tsk_due: { type: 'date' },
    tsk_done: { type: 'boolean' },
    tsk_owner: { type: 'string', length: 50, default: '[LOGIN]', readOnly: true },
  },
  order: ['tsk_due'],
})

/** An existing Koa application, with a page and users of its own, that gets a REST service and pages for its records. */
export async function createApp(filename: string) {
  const model = createModel([Task])
  const store = createSqliteStore({ filename })
  await store.sync(model)
  const service = createBusinessObjects({ model, store })

  // The rights of this application: everybody sees and changes their own tasks only.
  const principals = new Map(
    ['ann', 'bob'].map((login) => {
      const grants = [{ object: 'Task', letters: 'CRUD', filter: 'tsk_owner = [LOGIN]' }]
      return [login, createPrincipal({ login, rights: createRights(model, grants, { LOGIN: login }) })]
    }),
  )

  // Whatever the application knows its users by; here a header that its proxy sets.
  const authenticate = (context: Pick<Context, 'get'>) => {
    const principal = principals.get(context.get('X-Demo-User'))
    if (!principal) throw new RestError('ERR_CREDENTIALS', 'Say who you are in X-Demo-User: ann or bob.')
    return principal
  }

  const router = new Router()
  router.get('/', (context) => {
    context.body = 'An application of its own.'
  })
  // An address of the application's own beside those of the service, with the same users and rights.
  router.get('label', '/api/rest/Task/:row_id/label', async (context) => {
    const task = await service.get(authenticate(context), 'Task', context.params['row_id'] ?? '')
    context.body = [task['tsk_title'], task['tsk_due']].join(', until ')
  })
  // For all addresses of the service.
  router.use('/api/rest', async (context, next) => {
    await next()
    context.set('X-Route', context.routerName ?? '')
  })
  router.use(restRouter(service, { authenticate }).routes())
  // At /ui/. The application knows its users, so the pages need no sign-in.
  router.use(recordsRouter({ title: 'Tasks', login: false }).routes())

  const app = new Koa()
  app.use(errorResponse())
  app.use(router.routes()).use(router.allowedMethods())
  return { app, close: () => store.close() }
}
