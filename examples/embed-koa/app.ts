import { createStore } from '@steward/db-adapters'
import { createBusinessObjects, createModel, createPrincipal, createRights, defineObject } from '@steward/rest-core'
import { RestError } from '@steward/rest-core/errors'
import { errorResponse, restRouter } from '@steward/rest-koa'
import { recordsRouter } from '@steward/rest-pages'
import Router from '@koa/router'
import Koa from 'koa'
import type { Context } from 'koa'
import type { Knex } from 'knex'

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

/**
 * An existing Koa application, with pages, users and a table of its own, that gets a REST service and pages for its records.
 *
 * @param knex the application's, whose connections and transactions the service shares
 */
export async function createApp(knex: Knex) {
  const model = createModel([Task])
  const store = await createStore({ knex })
  await store.sync(model)
  if (!(await knex.schema.hasTable('member'))) {
    await knex.schema.createTable('member', (table) => {
      table.string('login', 50).primary()
      table.string('team', 50)
      table.integer('finished').defaultTo(0)
    })
    await knex('member').insert(['ann', 'bob'].map((login) => ({ login, team: 'Garden' })))
  }
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
  // A report by a join of the service's table with the application's.
  router.get('/teams', async (context) => {
    context.body = await knex('task')
      .join('member', 'member.login', 'task.tsk_owner')
      .groupBy('member.team')
      .select('member.team')
      .select(knex.raw('cast(count(*) as integer) as tasks'))
  })
  // An update of both tables: kept together, or not at all.
  router.post('/api/rest/Task/:row_id/finish', async (context) => {
    const principal = authenticate(context)
    await service.withTransaction(knex, async (inside, trx) => {
      await inside.update(principal, 'Task', context.params['row_id'] ?? '', { tsk_done: true })
      const few = trx('member').where({ login: principal.login }).where('finished', '<', 1)
      if ((await few.increment('finished', 1)) === 0)
        throw new RestError('ERR_CONFLICT', 'One task a day is enough. Finish this one tomorrow.')
    })
    context.status = 204
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
