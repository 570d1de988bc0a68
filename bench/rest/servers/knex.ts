import { bodyParser } from '@koa/bodyparser'
import Router from '@koa/router'
import Koa from 'koa'
import { openKnex } from '../connect.ts'
import { inputFields } from '../model.ts'
import { base } from '../operations.ts'
import type { OpenServer } from '../servers.ts'
import { eitherOf, now, pickInput, toRecord, user, whereLike } from './item.ts'

/** What a user would write: Koa, its router and body parser, and knex. */
export const open: OpenServer = async (target) => {
  const db = openKnex(target)
  const router = new Router()

  const items = () =>
    db('item')
      .leftJoin('category', 'category.row_id', 'item.itm_category_id')
      .select(['row_id', ...inputFields].map((name) => `item.${name}`))
      .select('category.cat_name as itm_category_id__cat_name')
  const find = async (rowId: string | number) => {
    const row = await items().where('item.row_id', rowId).first()
    return row === undefined ? undefined : toRecord(row)
  }

  router.get(base, async (context) => {
    const { _filter: filter, _page: page, _pagesize: pageSize } = context.query
    const [, either, category, itm_status] = eitherOf(filter === undefined ? undefined : String(filter))
    const { itm_status: status = itm_status, itm_name: name } = context.query
    const size = Number(pageSize ?? 50)
    const query = items()
      .orderBy('item.row_id')
      .limit(size)
      .offset(size * Number(page ?? 0))
    if (status !== undefined) query.where('item.itm_status', status)
    if (name !== undefined) whereLike(query, 'item.itm_name', String(name))
    if (either !== undefined)
      query.where((inner) => {
        whereLike(inner, 'item.itm_name', either)
        inner.orWhere('category.cat_name', category)
      })
    context.body = (await query).map(toRecord)
  })

  router.get(`${base}:rowId`, async (context) => {
    const record = await find(context.params['rowId']!)
    if (record === undefined) context.throw(404, 'no such row')
    context.body = record
  })

  router.post(base, async (context) => {
    const time = now()
    const row = {
      ...pickInput(context.request.body),
      created_dt: time,
      created_by: user,
      updated_dt: time,
      updated_by: user,
    }
    const [created] = await db('item').insert(row, ['row_id'])
    context.body = await find(typeof created === 'object' ? created.row_id : created)
  })

  router.put(`${base}:rowId`, async (context) => {
    const rowId = context.params['rowId']!
    const changes = { ...pickInput(context.request.body), updated_dt: now(), updated_by: user }
    const changed = await db('item').where('row_id', rowId).update(changes)
    if (changed === 0) context.throw(404, 'no such row')
    context.body = await find(rowId)
  })

  return new Koa().use(bodyParser()).use(router.routes()).use(router.allowedMethods()).callback()
}
