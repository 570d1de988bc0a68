import { feathers, type HookContext, type Id, type NextFunction } from '@feathersjs/feathers'
import { KnexService, type KnexAdapterParams } from '@feathersjs/knex'
import { bodyParser, errorHandler, koa, rest } from '@feathersjs/koa'
import type { Knex } from 'knex'
import { openKnex } from '../connect.ts'
import { base } from '../operations.ts'
import type { OpenServer } from '../servers.ts'
import { now, pickInput, toRecord, user, whereLike } from './item.ts'

const path = base.slice(1, -1)

/** The peer: Feathers 5 with its own knex adapter and its own Koa transport. */
export const open: OpenServer = async (target) => {
  const db = openKnex(target)
  const app = koa(feathers())
  app.use(errorHandler())
  app.use(bodyParser())
  app.configure(rest())
  app.use(path, new Items({ Model: db, name: 'item', id: 'row_id' }))
  app.service(path).hooks({
    around: { all: [answerRecords], find: [translateQuery], create: [stampCreate], update: [stampUpdate] },
  })
  await app.setup()
  return app.callback()
}

class Items extends KnexService {
  override createQuery(params: KnexAdapterParams): Knex.QueryBuilder {
    const name = 'select cat_name from category where category.row_id = item.itm_category_id'
    return super.createQuery(params).select(this.getModel(params).raw(`(${name}) as itm_category_id__cat_name`))
  }

  /** PUT changes the given fields only, which Feathers calls patch. */
  override update(id: Id, data: object, params?: KnexAdapterParams): Promise<unknown> {
    return this._patch(id, data, params)
  }
}

async function answerRecords(context: HookContext, next: NextFunction): Promise<void> {
  await next()
  context.result = Array.isArray(context.result) ? context.result.map(toRecord) : toRecord(context.result)
  context.http = { ...context.http, status: 200 }
}

async function translateQuery(context: HookContext, next: NextFunction): Promise<void> {
  const { _page: page = 0, _pagesize: pageSize = 50, itm_name: name, ...query } = context.params.query ?? {}
  const $limit = Number(pageSize)
  context.params.query = { ...query, $limit, $skip: $limit * Number(page), $sort: { row_id: 1 } }
  const items: Items = context.service
  // The adapter's own operators cannot ignore the case of letters on every database.
  if (name !== undefined) context.params.knex = whereLike(items.createQuery(context.params), 'itm_name', name)
  await next()
}

async function stampCreate(context: HookContext, next: NextFunction): Promise<void> {
  const time = now()
  context.data = { ...pickInput(context.data), created_dt: time, created_by: user, updated_dt: time, updated_by: user }
  await next()
}

async function stampUpdate(context: HookContext, next: NextFunction): Promise<void> {
  context.data = { ...pickInput(context.data), updated_dt: now(), updated_by: user }
  await next()
}
