import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createStore } from '@steward/db-adapters'
import { defineObject } from '@steward/rest-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { patient } from './databases.js'
import { startApp, type RunningApp } from './programs/app-server.js'
import { openRaw, type RawDatabase } from './samples/load.js'
import { serveObjects } from './serve-objects.js'
import { freshDatabase, needs, type FreshDatabase } from './servers/index.js'

const tables = [
  'create schema shop',
  'create schema stock',
  'create table stock.item (id int primary key, name text not null)',
  'create table stock.place (item_id int references stock.item, code varchar(20), primary key (item_id, code))',
  'create table shop.item (id int primary key, name text not null)',
  `create table shop.pick (item_id int references shop.item, number int, place_item int, place_code varchar(20), note text,
    primary key (item_id, number), foreign key (place_item, place_code) references stock.place)`,
  `insert into stock.item values (1, 'stored')`,
  `insert into stock.place values (1, 'a/b~1'), (1, '..')`,
  `insert into shop.item values (7, 'sold')`,
  `insert into shop.pick values (7, 1, 1, 'a/b~1', 'first'), (7, 2, null, null, 'second')`,
]

const AwayItem = defineObject({
  name: 'Item',
  table: 'away.item',
  timestamps: false,
  fields: { row_id: { type: 'id', column: 'id' }, name: { type: 'text' } },
})
const AwayPlace = defineObject({
  name: 'Place',
  table: 'away.place',
  timestamps: false,
  fields: {
    row_id: { type: 'id', fields: ['item_id', 'code'] },
    item_id: { type: 'reference', object: 'Item', display: ['name'] },
    code: { type: 'string', length: 20 },
  },
})

needs('postgresql', (url) => {
  describe('keys of several columns in schemas', () => {
    let database: FreshDatabase
    let raw: RawDatabase

    beforeAll(async () => {
      database = await freshDatabase(url)
      raw = await openRaw('postgresql', database.url)
      for (const sql of tables) await raw.rows(sql)
    })
    afterAll(async () => {
      await raw?.close()
      await database?.drop()
    })

    it('are served by --schema, and so are references between schemas', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'steward-schemas-'))
      let app: RunningApp | undefined
      try {
        app = await startApp(['--database', database.url, '--schema', 'shop,stock', '--data', folder], {
          password: 'secret-word',
          cwd: folder,
        })
        const { call } = app
        expect((await call('/Pick/?_order=row_id')).body).toMatchObject([
          { row_id: '7~1', item_id: '7', place: '1~a.2Fb.7E1', note: 'first' },
          { row_id: '7~2', item_id: '7', place: '', note: 'second' },
        ])
        expect((await call('/Place/1~a.2Fb.7E1')).body).toMatchObject({ item_id: '1', code: 'a/b~1' })
        expect((await call('/Pick/7~2', { method: 'PUT', body: { place: '1~....' } })).body).toMatchObject({
          place: '1~....',
          place_code: '..',
        })
        expect((await call('/Pick', { body: { item_id: '7', number: 3, place: '1~....' } })).body.row_id).toBe('7~3')
        expect((await call('/Pick', { body: { item_id: '7', number: 3 } })).status).toBe(409)
        expect((await call('/Place/1~....', { method: 'DELETE' })).status).toBe(409)
        expect(await raw.rows('select number, place_item, place_code from shop.pick order by number')).toEqual([
          { number: '1', place_item: '1', place_code: 'a/b~1' },
          { number: '2', place_item: '1', place_code: '..' },
          { number: '3', place_item: '1', place_code: '..' },
        ])
      } finally {
        await app?.stop()
        await rm(folder, { recursive: true, force: true })
      }
    })

    it('are served by definitions over foreign tables, which declare no key', async ({ skip }) => {
      if (!(await mayLink(raw))) return skip('The server has no postgres_fdw, or its user is no superuser.')
      await linkToItself(raw, new URL(database.url))
      await raw.rows('create schema away')
      await raw.rows('import foreign schema stock from server other into away')
      const store = await createStore(patient(database.url))
      const { objects, notes } = await store.introspect({ schemas: ['away'] })
      await store.close()
      // One column is guessed, and nothing written by a guess.
      expect(objects.map(({ name, readOnly }) => [name, readOnly])).toEqual([
        ['Item', true],
        ['Place', true],
      ])
      expect(notes?.map(({ table }) => table)).toEqual(['away.item', 'away.place'])

      const served = await serveObjects([AwayItem, AwayPlace], patient(database.url))
      try {
        const { call } = served
        const [odd, dots] = ['1~a.2Fb.7E1', '1~....']
        expect((await call('GET', '/Place/?_order=-row_id&_fields=row_id')).json).toEqual([
          { row_id: odd },
          { row_id: dots },
        ])
        expect((await call('GET', `/Place/${odd}`)).json).toEqual({
          row_id: odd,
          item_id: '1',
          item_id__name: 'stored',
          code: 'a/b~1',
        })
        const first = await call('GET', '/Place/?_pagesize=1&_cursor=')
        const cursor = encodeURIComponent(first.headers.get('x-next-cursor') ?? '')
        const second = await call('GET', `/Place/?_pagesize=1&_cursor=${cursor}`)
        expect([...first.json, ...second.json].map(({ row_id: id }) => id)).toEqual([dots, odd])
        expect((await call('POST', '/Place', { json: { item_id: '1', code: 'n~w' } })).json.row_id).toBe('1~n.7Ew')
        expect(await raw.rows(`select item_id from stock.place where code = 'n~w'`)).toEqual([{ item_id: '1' }])
        expect((await call('DELETE', '/Place/1~n.7Ew')).status).toBe(200)
        expect(await raw.rows(`select item_id from stock.place where code = 'n~w'`)).toEqual([])
        expect(served.failures).toEqual([])
      } finally {
        await served.close()
      }
    })
  })
})

async function mayLink(raw: RawDatabase): Promise<boolean> {
  const rows = await raw.rows(
    "select 1 from pg_available_extensions, pg_roles where name = 'postgres_fdw' and rolname = current_user and rolsuper",
  )
  return rows.length > 0
}

/** Makes the database a foreign server of itself, at the address that the server knows. */
async function linkToItself(raw: RawDatabase, { username, password, pathname }: URL): Promise<void> {
  const text = (value: unknown) => `'${decodeURIComponent(String(value)).replaceAll("'", "''")}'`
  const [own] = await raw.rows('select host(inet_server_addr()) as host, inet_server_port() as port')
  const place = `host ${text(own?.['host'])}, port ${text(own?.['port'])}, dbname ${text(pathname.slice(1))}`
  await raw.rows('create extension postgres_fdw')
  await raw.rows(`create server other foreign data wrapper postgres_fdw options (${place})`)
  await raw.rows(
    `create user mapping for current_user server other options (user ${text(username)}, password ${text(password)})`,
  )
}
