import { defineObject, dumpRecords, loadRecords } from '@steward/rest-core'
import { createStore } from '@steward/db-adapters'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { onEachDatabase, patient } from './databases.js'
import { serveObjects, type ServedObjects } from './serve-objects.js'
import type { FreshDatabase } from './servers/index.js'

const Sale = defineObject({
  name: 'Sale',
  timestamps: false,
  fields: {
    sal_number: { type: 'string', length: 20, key: true },
    sal_month: { type: 'string', length: 7 },
    sal_total: { type: 'integer' },
  },
})
const query =
  'select max(row_id) as row_id, sal_month as mon_month, count(*) as mon_sales, max(sal_total) as mon_largest from sale group by sal_month'
const quoted = query.replaceAll(/\b(?:row_id|sal_\w+|mon_\w+|sale)\b/g, '"$&"')
const Month = defineObject({
  name: 'Month',
  view: { sqlite: query, postgresql: query, mysql: query, oracle: quoted, mssql: query },
  fields: {
    mon_month: { type: 'string', length: 7 },
    mon_sales: { type: 'integer' },
    mon_largest: { type: 'integer' },
  },
  crosstabs: { sales: { lines: ['mon_month'], values: [{ function: 'sum', field: 'mon_sales' }] } },
})

onEachDatabase((fresh) => {
  let database: FreshDatabase
  let served: ServedObjects

  beforeAll(async () => {
    database = await fresh()
    served = await serveObjects([Sale, Month], patient(database.url))
    for (const [number, month, total] of [
      ['1', '2026-01', 5],
      ['2', '2026-01', 9],
      ['3', '2026-02', 4],
    ])
      await served.call('POST', '/Sale', { json: { sal_number: number, sal_month: month, sal_total: total } })
  })

  afterAll(async () => {
    await served?.close()
    await database?.drop()
  })

  it('an object with a view is searched, filtered, sorted, counted and summed up like any other', async () => {
    const january = { row_id: '2', mon_month: '2026-01', mon_sales: 2, mon_largest: 9 }
    const february = { row_id: '3', mon_month: '2026-02', mon_sales: 1, mon_largest: 4 }
    expect((await served.call('GET', '/Month/?_order=-mon_month')).json).toEqual([february, january])
    expect((await served.call('GET', '/Month/?mon_sales=2;')).json).toEqual([january])
    expect((await served.call('GET', '/Month/?mon_month=*-02&_count=true')).json).toMatchObject({ count: 1 })
    expect((await served.call('GET', '/Month/3')).json).toEqual(february)
    expect((await served.call('GET', '/Month/?_crosstab=sales')).status).toBe(200)
  })

  it('an object with a view offers no write in metadata and documents, and refuses each', async () => {
    const { json: metadata } = await served.call('GET', '/Month/_metadata')
    expect(metadata).toMatchObject({ readonly: true, create: false, update: false, del: false })
    const { json: openapi } = await served.call('GET', '/Month/?_doc=true&_output=openapi')
    const writes = Object.entries(openapi.paths as Record<string, object>)
      .filter(([path]) => !path.includes('_search'))
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`))
      .filter((one) => /^(?:post|put|patch|delete) /.test(one))
    expect(writes).toEqual([])
    for (const [method, path] of [
      ['POST', '/Month'],
      ['PUT', '/Month/2'],
      ['DELETE', '/Month/2'],
    ] as const)
      expect((await served.call(method, path, { json: { mon_sales: 2 } })).status, method).toBe(403)
    expect(served.failures).toEqual([])
  })

  it('a dump of records has those of tables only, and fills another database whose views show them', async () => {
    const lines: string[] = []
    const { model } = served.service
    const application = { name: 'sales', version: '1' }
    await dumpRecords({ model, store: served.store, application }, async (text) => void lines.push(text))
    const other = await fresh()
    const store = await createStore(patient(other.url))
    try {
      await store.sync(model)
      const content = (async function* () {
        yield Buffer.from(lines.join(''))
      })()
      expect(await loadRecords({ model, store }, content)).toEqual({ Sale: 3 })
      expect(await store.count(model.object('Month'))).toBe(2)
    } finally {
      await store.close()
      await other.drop()
    }
  })
})
