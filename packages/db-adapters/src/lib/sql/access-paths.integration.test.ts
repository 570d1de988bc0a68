import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createModel, type FieldDefinition, type Filter, type Order } from '@steward/rest-core'
import pg from 'pg'
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

const fields: Readonly<Record<string, FieldDefinition>> = {
  code: { type: 'string', length: 20, key: true },
  name: { type: 'string', length: 80, index: true },
  state: { type: 'enum', values: ['a', 'b', 'c', 'd'], index: true },
  size: { type: 'integer', index: true },
  price: { type: 'decimal', precision: 10, scale: 2, index: true },
  day: { type: 'date', index: true },
  at: { type: 'datetime', index: true },
  done: { type: 'boolean', index: true },
  above: { type: 'reference', object: 'Own', display: ['code'] },
}

/** Two tables with the same columns and rows: `own_item`, which sync makes, and `their_item`, which another owner made. */
const model = createModel([
  { name: 'Own', table: 'own_item', timestamps: false, fields },
  {
    name: 'Their',
    table: 'their_item',
    timestamps: false,
    fields: {
      row_id: { type: 'id' },
      ...fields,
      above: { type: 'reference', object: 'Their', display: ['code'] },
    },
  },
])
const objects = { own_item: model.object('Own'), their_item: model.object('Their') }

const indexed = ['state', 'size', 'price', 'day', 'at', 'done', 'above']

/** As people make tables: the database's own collation, NOT NULL where nothing may be missing, plain indexes. */
const theirTable: Record<Name, string> = {
  sqlite: `create table their_item (row_id integer primary key, code text not null unique, name text, state text, size integer,
    price numeric, day text, at text, done boolean not null, above integer references their_item);
    create index their_name on their_item (name collate nocase);`,
  postgresql: `create extension pg_trgm;
    create table their_item (row_id bigint primary key, code text not null unique, name text, state varchar(1), size integer,
      price numeric(10, 2), day date, at timestamp, done boolean not null, above bigint references their_item);
    create index their_name on their_item using gin (name gin_trgm_ops);`,
  mysql: `create table their_item (row_id bigint primary key, code varchar(20) not null unique, name varchar(80), state varchar(1),
    size int, price decimal(10, 2), day date, at datetime, done boolean not null, above bigint references their_item (row_id))
    character set utf8mb4 collate utf8mb4_general_ci;
    create index their_name on their_item (name);`,
}

const count = 4_000
const numbers: Record<Name, string> = {
  sqlite: `with recursive s(n) as (select 1 union all select n + 1 from s where n < ${count})`,
  postgresql: `with s(n) as (select generate_series(1, ${count}))`,
  mysql: `with d(n) as (${Array.from({ length: 10 }, (_, digit) => `select ${digit}`).join(' union all ')}),
    s(n) as (select 1 + a.n + 10 * b.n + 100 * c.n + 1000 * e.n from d a, d b, d c, d e where e.n < ${count / 1000})`,
}

/** Few rows are done, few have no name; words are rare. */
function rowsOf(name: Name): string {
  const pad = (n: string) => (name === 'sqlite' ? `substr('0000' || (${n}), -4)` : `lpad(${castText(name, n)}, 4, '0')`)
  const join = (...parts: string[]) => (name === 'mysql' ? `concat(${parts.join(', ')})` : parts.join(' || '))
  const [date, moment] = name === 'postgresql' ? ['::date', '::timestamp'] : ['', '']
  const day = join(`'2024-'`, `substr(${pad('100 + 1 + n % 12')}, 3)`, `'-'`, `substr(${pad('100 + 1 + n % 28')}, 3)`)
  return `n, ${join(`'c'`, pad('n'))}, case when n % 400 <> 0 then ${join(`'Word'`, pad('n * 7 % 1000'), `' tail'`)} end,
    substr('abcd', 1 + n % 4, 1), case when n % 500 <> 0 then n % 1000 end, n / 100.0, (${day})${date}, (${join(`(${day})`, `' 10:00:00'`)})${moment},
    ${name === 'postgresql' ? 'n % 200 = 0' : 'case when n % 200 = 0 then 1 else 0 end'}, case when n > 1 then 1 + n % 997 end`
}

function castText(name: Name, n: string): string {
  return name === 'postgresql' ? `(${n})::text` : n
}

interface Case {
  readonly where?: Filter
  /** Field names, `-` for descending; the row id follows. Default: the row id. */
  readonly order?: readonly string[]
  /** The condition as a person writes it who knows the table. */
  readonly by?: string
  /** The same in a table where every number but 0 may be true. Default: `by`. */
  readonly loosely?: string
  /** How many tables a person joins to get from `i` to `a`, `b` …. Default: as the condition needs. */
  readonly joins?: number
  readonly only?: Name
}

const text = (field: string, op: '=' | '<' | '<=' | '>' | '>=', value: string | number | boolean): Filter => ({
  op,
  field,
  value,
})
const and = (...terms: Filter[]): Filter => ({ op: 'and', terms })
const or = (...terms: Filter[]): Filter => ({ op: 'or', terms })

const cases: Readonly<Record<string, Case>> = {
  'a unique text': { where: text('code', '=', 'c0017'), by: `i.code = 'c0017'` },
  'a list of texts': {
    where: { op: 'in', field: 'code', values: ['c0001', 'c0002', 'c0003'] },
    by: `i.code in ('c0001', 'c0002', 'c0003')`,
  },
  'a range of texts': {
    where: and(text('code', '>=', 'c0100'), text('code', '<', 'c0110')),
    by: `i.code >= 'c0100' and i.code < 'c0110'`,
  },
  'what follows a text': { where: text('code', '>', 'c3000'), order: ['code'], by: `i.code > 'c3000'` },
  'what precedes a text': { where: text('code', '<', 'c1000'), order: ['-code'], by: `i.code < 'c1000'` },
  'a list of row ids': { where: { op: 'in', field: 'row_id', values: ['5', '6', '7'] }, by: 'i.row_id in (5, 6, 7)' },
  'what follows a row id': { where: text('row_id', '>', '3000'), by: 'i.row_id > 3000' },
  'an integer': { where: text('size', '=', 17), by: 'i.size = 17' },
  'a list of integers': { where: { op: 'in', field: 'size', values: [1, 2, 3] }, by: 'i.size in (1, 2, 3)' },
  'a range of integers': { where: and(text('size', '>=', 10), text('size', '<=', 12)), by: 'i.size between 10 and 12' },
  'an integer that is missing': { where: { op: 'null', field: 'size' }, by: 'i.size is null' },
  'a decimal': { where: text('price', '=', 12.5), by: 'i.price = 12.5' },
  'a range of decimals': { where: text('price', '>', 39.5), by: 'i.price > 39.5' },
  'a day': { where: text('day', '=', '2024-02-06'), by: `i.day = '2024-02-06'` },
  'a range of days': {
    where: and(text('day', '>=', '2024-02-05'), text('day', '<=', '2024-02-07')),
    by: `i.day >= '2024-02-05' and i.day <= '2024-02-07'`,
  },
  'a range of moments': {
    where: and(text('at', '>=', '2024-02-05 00:00:00'), text('at', '<', '2024-02-07 00:00:00')),
    by: `i.at >= '2024-02-05 00:00:00' and i.at < '2024-02-07 00:00:00'`,
  },
  'a boolean': { where: text('done', '=', true), by: 'i.done = true', loosely: '(i.done > 0 or i.done < 0)' },
  'a boolean, in a list': {
    where: { op: 'in', field: 'done', values: [true] },
    by: 'i.done = true',
    loosely: '(i.done > 0 or i.done < 0)',
  },
  'a reference': { where: text('above', '=', '17'), by: 'i.above = 17' },
  'a field of the linked row': {
    where: text('above__code', '=', 'c0017'),
    by: `a.code = 'c0017'`,
  },
  'a state, in the order of the code': { where: text('state', '=', 'b'), order: ['code'], by: `i.state = 'b'` },
  'one of two conditions': {
    where: or(text('code', '=', 'c0017'), text('size', '=', 17)),
    by: `i.code = 'c0017' or i.size = 17`,
  },
  'one of two conditions on two tables': {
    where: or(text('code', '=', 'c0017'), text('above__size', '=', 17)),
    by: `i.code = 'c0017' or a.size = 17`,
    joins: 1,
  },
  'nested conditions on several tables': {
    where: and(
      or(
        text('size', '=', 17),
        text('above__code', '=', 'c0017'),
        and(text('done', '=', true), text('size', '>', 990)),
      ),
      text('above__above__above__state', '=', 'b'),
    ),
    by: `(i.size = 17 or a.code = 'c0017' or (i.done = true and i.size > 990)) and c.state = 'b'`,
    joins: 3,
  },
  'a field five references away': {
    where: and(text('state', '=', 'b'), text('above__above__above__above__above__size', '>=', 0)),
    by: `i.state = 'b' and e.size >= 0`,
    joins: 5,
  },
  'the first ones by a field two references away': {
    where: text('size', '=', 17),
    order: ['above__above__price'],
    by: 'i.size = 17',
    joins: 2,
  },
  'a beginning': { where: { op: 'like', field: 'name', pattern: 'word0017%' }, by: '' },
  'a word': { where: { op: 'like', field: 'name', pattern: '%ord0017%' }, by: '' },
  'a missing name': { where: { op: 'null', field: 'name' }, by: `(i.name is null or i.name = '')` },
  'the first ones by code': { order: ['code'] },
  'the last ones by code': { order: ['-code'] },
  'the first ones by row id': {},
  'the first ones by size': { order: ['size'] },
  'the last ones by size': { order: ['-size'] },
  'the first ones by day': { order: ['day'] },
  'the first ones by state and size': { order: ['state', 'size'] },
}

/** The case of letters is ignored: by the collation of their column, or by an operator or a function. */
function like(name: Name, table: keyof typeof objects, pattern: string): string {
  if (name === 'postgresql') return `i.name ilike '${pattern}'`
  return name === 'mysql' && table === 'own_item' ? `lower(i.name) like '${pattern}'` : `i.name like '${pattern}'`
}

function orderOf(names: readonly string[] = []): Order[] {
  const terms = names.map((name) => ({ field: name.replace('-', ''), descending: name.startsWith('-') }))
  return [...terms, { field: 'row_id', descending: false }]
}

/** What a person writes. */
function byHand(name: Name, table: keyof typeof objects, { where, order = [], joins, ...rest }: Case): string {
  const by = table === 'their_item' && name !== 'postgresql' ? (rest.loosely ?? rest.by) : rest.by
  const condition = by === '' ? like(name, table, (where as { pattern: string }).pattern) : by
  const terms = order.map((term) => {
    const [field, descending] = [term.replace('-', ''), term.startsWith('-')]
    // Whatever may be missing comes first; people who know that nothing is missing leave that out.
    const known = name !== 'postgresql' || (table === 'their_item' && field === 'code')
    const alias = (/^(?:above__)*/.exec(field)?.[0].length ?? 0) / 'above__'.length
    return `${'iabcde'[alias]}.${field.split('__').at(-1)}${descending ? ' desc' : ''}${known ? '' : ` nulls ${descending ? 'last' : 'first'}`}`
  })
  const joined = [...'abcde']
    .slice(0, joins ?? (condition?.includes('a.code') ? 1 : 0))
    .map((alias, at) => ` left join ${table} ${alias} on ${alias}.row_id = ${'iabcd'[at]}.above`)
    .join('')
  return `select i.* from ${table} i${joined}${condition === undefined ? '' : ` where ${condition}`} order by ${[...terms, 'i.row_id'].join(', ')} limit ${name === 'sqlite' ? '?' : '20'}`
}

function define(name: Name, open: () => Promise<PlannedDatabase>): void {
  let database: PlannedDatabase
  beforeAll(async () => {
    database = await open()
    await database.store.sync({
      objects: new Map([['Own', objects.own_item]]),
      object: (asked) => model.object(asked),
    })
    for (const statement of theirTable[name].split(';')) if (statement.trim() !== '') await database.run(statement)
    for (const column of indexed) await database.run(`create index their_${column} on their_item (${column})`)
    const columns = ['row_id', ...Object.keys(fields)].join(', ')
    for (const table of Object.keys(objects)) {
      if (name === 'mysql') await database.run('set foreign_key_checks = 0')
      await database.run(
        name === 'mysql'
          ? `insert into ${table} (${columns}) ${numbers[name]} select ${rowsOf(name)} from s`
          : `${numbers[name]} insert into ${table} (${columns}) select ${rowsOf(name)} from s`,
      )
      await database.run(name === 'mysql' ? `analyze table ${table}` : `analyze ${table}`)
    }
    // A server that was started after the table was made.
    await database.store.close()
    await database.close()
    database = await open()
    await database.store.ping()
  })
  afterAll(async () => {
    await database.store.close()
    await database.close()
  })

  describe.each(['own_item', 'their_item'] as const)('%s is read as by the statement of a person', (table) => {
    const object = objects[table]
    const select = object.select(['row_id', 'code', 'name', 'state', 'size', 'price', 'day', 'at', 'done', 'above'])

    it.each(Object.keys(cases))('%s', async (title) => {
      const { where, order } = cases[title]!
      const found: unknown[] = []
      const calls = await statementsOf(async () => {
        const query = { select, order: orderOf(order), limit: 20, ...(where && { where }) }
        for await (const batch of database.store.search(object, query)) found.push(...batch)
      })
      // SQLite gives a page that may take long to a thread.
      const call = calls.find(({ statement }) => statement.gives === 'records')!
      const hand = byHand(name, table, cases[title]!)
      const [ours, theirs] = [
        await database.pathOf(call.statement.sql, call.values),
        await database.pathOf(hand, name === 'sqlite' ? [20] : []),
      ]
      expect(ours, `${call.statement.sql}\n${hand}`).toStrictEqual(theirs)
      expect(found.length).toBeGreaterThan(0)
    })

    it('linked rows are looked up by their primary key, however far they are', async () => {
      const { where } = cases['a field five references away']!
      const [call] = await statementsOf(async () => {
        for await (const _ of database.store.search(object, { select, where: where!, order: orderOf(), limit: 20 }));
      })
      const path = await database.pathOf(call!.statement.sql, call!.values)
      const lookups = { sqlite: /^SEARCH USING INTEGER PRIMARY KEY/, postgresql: /_pkey$/, mysql: /^eq_ref PRIMARY$/ }
      // PostgreSQL's path names an index once.
      expect(path.filter((step) => lookups[name].test(step))).toHaveLength(name === 'postgresql' ? 1 : 5)
      expect(path.filter((step) => /^(?:SCAN|all of|ALL|index null)/.test(step))).toStrictEqual([])
    })

    it('one record', async () => {
      const [call] = await statementsOf(() => database.store.get(object, '17', { select }))
      expect(await database.pathOf(call!.statement.sql, call!.values)).toStrictEqual(
        await database.pathOf(`select i.* from ${table} i where i.row_id = 17`),
      )
    })

    it('a count', async () => {
      const [call] = await statementsOf(() => database.store.count(object, cases['an integer']!.where))
      expect(await database.pathOf(call!.statement.sql, call!.values)).toStrictEqual(
        await database.pathOf(`select count(*) from ${table} i where i.size = 17`),
      )
    })
  })
}

describe('sqlite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-paths-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  define('sqlite', async () => openSqlite(join(folder, 'paths.db')))
})

needs('postgresql', (url) => {
  const things = createModel([
    {
      name: 'Thing',
      table: 'thing',
      timestamps: false,
      fields: {
        row_id: { type: 'id', values: 'string' },
        name: { type: 'string', length: 80 },
        serial: { type: 'string', length: 40 },
      },
    },
  ])
  const thing = things.object('Thing')
  let fresh: FreshDatabase
  let database: PlannedDatabase
  beforeAll(async () => {
    fresh = await freshDatabase(url)
    database = await openPostgresql(fresh.url)
    await database.run(`create extension pg_trgm;
      create table thing (row_id uuid primary key, name text, serial uuid);
      insert into thing select md5(n::text)::uuid, 'thing ' || n, md5((n * 7)::text)::uuid from generate_series(1, ${count}) n;
      insert into thing values ('00000000-0000-0000-0000-000000000001', 'CAFÉ au lait', null);
      create index thing_name on thing using gist (name gist_trgm_ops);
      create index thing_serial on thing (serial);
      analyze thing`)
    await database.store.ping()
  })
  afterAll(async () => {
    await database.store.close()
    await database.close()
    await fresh.drop()
  })

  describe.each(['made', 'found'] as const)('a table that was %s', (table) => {
    const fields: Readonly<Record<string, FieldDefinition>> = {
      row_id: { type: 'id' },
      name: { type: 'string', length: 80 },
      state: { type: 'string', length: 1 },
      amount: { type: 'integer' },
      above: { type: 'reference', object: 'Part', display: ['name'] },
    }
    const parts = createModel([{ name: 'Part', table, timestamps: false, fields }])
    const part = parts.object('Part')
    const select = part.select(['name', 'above__name'])
    const like: Filter = { op: 'like', field: 'name', pattern: '%PART%' }
    let client: pg.Client
    beforeAll(async () => {
      client = new pg.Client(fresh.url)
      await client.connect()
      if (table === 'made') await database.store.sync(parts)
      else
        await client.query(`create table found (row_id bigint primary key, name text, state varchar(1), amount integer,
          above bigint references found)`)
      await client.query(`insert into ${table} select n, 'part ' || n, substr('abcd', 1 + n % 4, 1), n, 1 from generate_series(1, ${count}) n;
        analyze ${table}`)
    })
    afterAll(() => client.end())

    async function planOf(where: Filter, by = order, explain = 'explain'): Promise<string> {
      const [call] = await statementsOf(async () => {
        for await (const batch of database.store.search(part, { select, where, order: by, limit: 20 }))
          expect(batch[0]).toMatchObject({ above__name: 'part 1' })
      })
      const { sql } = call!.statement
      const { rows } = await client.query<Record<string, string>>(`${explain} ${sql}`, call!.values)
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    }

    it('a pattern is tried last, wherever it stands, and estimated by its value', async () => {
      const conditions: [Filter, string][] = [
        [text('state', '=', 'b'), "state = 'b'"],
        [text('amount', '>', 10), 'amount > 10'],
        [{ op: 'in', field: 'state', values: ['a', 'b'] }, "state in ('a', 'b')"],
      ]
      for (const [condition, by] of conditions) {
        const hand = `explain select * from ${table} where ${by} and name ilike '%part%' order by row_id`
        const { rows } = await client.query<Record<string, string>>(hand)
        const expected = /rows=(\d+)/.exec(rows.map((row) => row['QUERY PLAN']).join())?.[1]
        for (const where of [and(like, condition), and(and(like), condition), and(condition, like)]) {
          const plan = await planOf(where)
          expect(plan).toMatch(/Filter: \(.*(?:state|amount).*AND.*name.*~~\*/)
          expect(plan).toMatch(new RegExp(`Index Scan using ${table}_pkey on ${table} t0 .* rows=${expected} `))
        }
      }
    })

    it.each(['row_id', 'amount'])(
      'linked values are looked up for the rows of the page, in the order of %s',
      async (field) => {
        const by = [...new Set([field, 'row_id'])].map((name) => ({ field: name, descending: true }))
        const plan = await planOf(like, by, 'explain (analyze, timing off)')
        expect(plan).toMatch(/SubPlan[^]* Index Scan using \w+_pkey on \w+ x_j0 [^]*loops=20\)/)
        expect(plan).not.toMatch(/Join|Nested Loop|loops=(?!1\)|20\))/)
      },
    )
  })

  async function search(where: Filter | undefined, order: Order[]) {
    const names: unknown[] = []
    const [call] = await statementsOf(async () => {
      const query = { select: thing.selection, order, limit: 20, ...(where && { where }) }
      for await (const batch of database.store.search(thing, query)) names.push(...batch.map(({ name }) => name))
    })
    return { names, path: await database.pathOf(call!.statement.sql, call!.values) }
  }
  const order: Order[] = [{ field: 'row_id', descending: false }]

  it('a uuid is sorted and compared by its index', async () => {
    expect((await search(undefined, order)).path).toStrictEqual(['index thing_pkey'])
    const behind = text('row_id', '>', 'ff000000-0000-0000-0000-000000000000')
    expect((await search(behind, order)).path).toContain('index thing_pkey')
    // No uuid is an empty text, so that nothing but NULL is looked for.
    expect((await search({ op: 'null', field: 'serial' }, order)).path).toContain('index thing_serial')
  })

  it('an index of trigrams finds no more than the case of A–Z allows', async () => {
    const find = (pattern: string) => search({ op: 'like', field: 'name', pattern }, order)
    expect(await find('%cafÉ au%')).toStrictEqual({ names: ['CAFÉ au lait'], path: ['index thing_name', 'sort'] })
    expect((await find('%café au%')).names).toStrictEqual([])
    const inverse = await search({ op: 'notLike', field: 'name', pattern: '%thing%' }, order)
    expect(inverse.names).toStrictEqual(['CAFÉ au lait'])
  })
})

for (const [name, open] of [
  ['postgresql', openPostgresql],
  ['mysql', openMysql],
] as const)
  needs(name, (url) => {
    let fresh: FreshDatabase | undefined
    afterAll(() => fresh?.drop())
    define(name, async () => open((fresh ??= await freshDatabase(url)).url))
  })
