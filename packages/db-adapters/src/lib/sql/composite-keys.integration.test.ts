import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBusinessObjects, createModel, systemPrincipal, type ObjectModel } from '@steward/rest-core'
import type { BusinessObjects, BusinessRecord } from '@steward/rest-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshDatabase, needs, type FreshDatabase } from '../../../../../tests/servers/index.js'
import {
  openMysql,
  openPostgresql,
  openSqlite,
  statementsOf,
  type PlannedDatabase,
} from '../../../test/access-paths.js'

type Name = 'sqlite' | 'postgresql' | 'mysql'

const boss = systemPrincipal({ login: 'boss' })

/** As people make tables: no collation, n:m without anything else, a key that holds other keys, an empty text in a key. */
function tables(name: Name): string {
  const end = name === 'mysql' ? ' engine = InnoDB character set utf8mb4 collate utf8mb4_general_ci' : ''
  return `
    create table film (id integer primary key, title varchar(50) not null unique)${end};
    create table actor (id integer primary key, name varchar(50) not null unique)${end};
    create table film_actor (film_id integer not null, actor_id integer not null, primary key (film_id, actor_id),
      foreign key (film_id) references film (id) on delete cascade, foreign key (actor_id) references actor (id))${end};
    create table scene (film_id integer not null, part varchar(20) not null, nr bigint not null, title varchar(50),
      primary key (film_id, part, nr), unique (title, nr), foreign key (film_id) references film (id))${end};
    create table take (id integer primary key, film integer, part varchar(20), nr bigint, note varchar(20),
      foreign key (film, part, nr) references scene (film_id, part, nr))${end};
    insert into film values (1, 'one'), (2, 'two');
    insert into actor values (1, 'Ann'), (2, 'Bob');
    insert into film_actor values (1, 1), (1, 2), (2, 2);
    insert into scene values (1, '', 9007199254740993, 'blank'), (1, 'a/b~c', 1, 'odd'), (1, 'A', 2, 'upper');
    insert into take values (1, 1, 'a/b~c', 1, 'first'), (2, 1, null, 1, 'partly'), (3, null, null, null, 'none'), (4, 1, '', 9007199254740993, 'of blank')`
}

const many: Record<Name, string> = {
  sqlite: `with recursive s(n) as (select 1 union all select n + 1 from s where n < 4000)`,
  postgresql: `with s(n) as (select generate_series(1, 4000))`,
  mysql: `with d(n) as (${Array.from({ length: 10 }, (_, digit) => `select ${digit}`).join(' union all ')}),
    s(n) as (select 1 + a.n + 10 * b.n + 100 * c.n + 1000 * e.n from d a, d b, d c, d e where e.n < 4)`,
}

/** What reads the scenes by their key. */
const byKey: Record<Name, RegExp> = {
  sqlite: /USING (?:COVERING )?INDEX sqlite_autoindex_scene_\d|USING PRIMARY KEY/,
  postgresql: /^index scene_pkey$/,
  mysql: /^(?:const|eq_ref|ref|range) PRIMARY$/,
}

function define(name: Name, url?: string): void {
  describe(`tables with keys of several columns on ${name}`, () => {
    let database: PlannedDatabase
    let fresh: FreshDatabase | undefined
    let folder: string | undefined
    let service: BusinessObjects
    let scene: ObjectModel

    beforeAll(async () => {
      if (url === undefined) {
        folder = mkdtempSync(join(tmpdir(), 'steward-keys-'))
        database = openSqlite(join(folder, 'keys.db'))
      } else {
        fresh = await freshDatabase(url)
        database = await (name === 'postgresql' ? openPostgresql : openMysql)(fresh.url)
      }
      for (const statement of tables(name).split(';\n')) await database.run(statement)
      const { objects, skipped } = await database.store.introspect()
      expect(skipped).toStrictEqual([])
      const model = createModel(objects)
      expect((await database.store.plan(model)).steps).toStrictEqual([])
      scene = model.object('Scene')
      service = createBusinessObjects({ model, store: database.store, documents: {} as never })
    }, 60_000)
    afterAll(async () => {
      await database?.store.close()
      await database?.close()
      await fresh?.drop()
      if (folder !== undefined) rmSync(folder, { recursive: true })
    })

    async function all(object: string, order: string): Promise<BusinessRecord[]> {
      const records: BusinessRecord[] = []
      for await (const batch of await service.search(boss, object, { order: [{ field: order, descending: false }] }))
        records.push(...batch)
      return records
    }

    it('n:m tables are objects, written like others', async () => {
      expect(await all('FilmActor', 'row_id')).toStrictEqual([
        { row_id: '1~1', film_id: '1', film_id__title: 'one', actor_id: '1', actor_id__name: 'Ann' },
        { row_id: '1~2', film_id: '1', film_id__title: 'one', actor_id: '2', actor_id__name: 'Bob' },
        { row_id: '2~2', film_id: '2', film_id__title: 'two', actor_id: '2', actor_id__name: 'Bob' },
      ])
      const made = await service.create(boss, 'FilmActor', { film_id: '2', actor_id: '1' })
      expect(made.row_id).toBe('2~1')
      await expect(service.create(boss, 'FilmActor', { film_id: '2', actor_id: '1' })).rejects.toMatchObject({
        code: 'ERR_CONFLICT',
        messages: [{ code: 'ERR_USERKEY', fields: ['film_id', 'actor_id'] }],
      })
      await service.delete(boss, 'FilmActor', '2~1')
    })

    it('a conflict about another key of several columns names its fields', async () => {
      const twin = { film_id: '1', part: 'new', nr: 1, title: 'odd' }
      await expect(service.create(boss, 'Scene', twin)).rejects.toMatchObject({
        messages: [{ code: 'ERR_USERKEY', fields: ['title', 'nr'] }],
      })
    })

    it('rows are read and changed whatever their key holds', async () => {
      const ids = (await all('Scene', 'nr')).map(({ row_id: id }) => id)
      expect(ids).toStrictEqual(['1~a.2Fb.7Ec~1', '1~A~2', '1~~9007199254740993'])
      for (const id of ids) {
        const record = await service.get(boss, 'Scene', id)
        expect(record.row_id).toBe(id)
        expect(
          await service.update(boss, 'Scene', id, { ...record, title: `${String(record['title'])}!` }),
        ).toStrictEqual({
          ...record,
          title: `${String(record['title'])}!`,
        })
        await service.update(boss, 'Scene', id, { title: record['title'] })
      }
      const takes = await all('Take', 'row_id')
      expect(takes.map(({ scene: link, scene__title: title }) => [link, title])).toStrictEqual([
        ['1~a.2Fb.7Ec~1', 'odd'],
        ['', ''],
        ['', ''],
        ['1~~9007199254740993', 'blank'],
      ])
      const set = await service.update(boss, 'Take', '3', { scene: '1~A~2' })
      expect(set).toMatchObject({ film: 1, part: 'A', nr: 2, scene__title: 'upper' })
    })

    it('a get, a list of ids and pages by cursor go by the index of the key', async () => {
      await database.run(`insert into scene ${many[name]} select 2, 'p', n, null from s`)
      await database.run(name === 'mysql' ? 'analyze table scene' : 'analyze')
      const request = { order: [{ field: 'row_id', descending: false }], pageSize: 10, cursor: '' }
      const page = async (cursor: string): Promise<BusinessRecord[]> => {
        const records: BusinessRecord[] = []
        for await (const batch of await service.search(boss, 'Scene', { ...request, cursor })) records.push(...batch)
        return records
      }
      const first = await page('')
      const next = service.nextCursor(boss, 'Scene', request, first.at(-1) as BusinessRecord) as string
      const { store } = database
      const select = scene.select(['title'])
      const list = { op: 'in', field: 'row_id', values: ['2~p~1', '2~p~2000', '1~A~2'] } as const
      const works = {
        get: () => store.get(scene, '2~p~2000', { select }),
        list: () => drain(store.search(scene, { select, where: list, order: [], limit: 10 })),
        range: () =>
          drain(
            store.search(scene, {
              select,
              where: { op: '<', field: 'row_id', value: '1~B~1' },
              order: scene.order,
              limit: 10,
            }),
          ),
        first: () => page(''),
        next: () => page(next),
      }
      for (const [what, work] of Object.entries(works)) {
        const calls = await statementsOf(work)
        expect(calls.length, what).toBeGreaterThan(0)
        for (const { statement, values } of calls) {
          const path = await database.pathOf(statement.sql, values)
          const message = `${what}: ${statement.sql}`
          // The first page starts at the index's own start; MySQL calls that reading the index.
          const wanted = what === 'first' && name === 'mysql' ? /^index PRIMARY$/ : byKey[name]
          expect(
            path.some((step) => wanted.test(step)) || (what === 'first' && name === 'sqlite'),
            `${message}\n${path.join('\n')}`,
          ).toBe(true)
          expect(path.join(), message).not.toMatch(/sort|TEMP B-TREE|all of scene/)
        }
      }
    })
  })
}

async function drain(batches: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of batches);
}

define('sqlite')
needs('postgresql', (url) => define('postgresql', url))
needs('mysql', (url) => define('mysql', url))
