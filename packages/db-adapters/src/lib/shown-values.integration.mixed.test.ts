/**
 * @module-tag mixed
 * @module-tag core
 * @module-tag continued
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createBusinessObjects,
  createModel,
  systemPrincipal,
  type BusinessObjects,
  type BusinessRecord,
  type FieldModel,
  type FieldValue,
  type ObjectModel,
  type ObjectStore,
  type SearchRequest,
} from '@steward/rest-core'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { edgeTables, prepare, statementsOf, type EdgeDatabase, type EdgeTable } from '../../test/edge-tables.js'
import { onEachServer } from '../../test/server-stores.js'
import { createSqliteStore } from '../sqlite.js'

const { TEST_SEED, TEST_DEEP } = process.env
const seed = Number(TEST_SEED ?? (TEST_DEEP === '1' ? Date.now() % 1_000_000 : 1))
/** One table in six there; all of them in the second tier. */
const isQuick = inject('tier' as never) === 'quick'
const boss = systemPrincipal({ login: 'boss' })
const copies = 1_000

/** In a key, -1 does not stand for true: 1 would have the same row id. */
const oddKeys: ReadonlySet<string> = new Set(['e_boolean_minus', 'e_tinyint_1_minus'])

interface Place {
  readonly database: EdgeDatabase
  run(sql: string): Promise<readonly Record<string, unknown>[]>
  readonly store: ObjectStore
}

describe('sqlite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-test-'))
  const filename = join(folder, 'shown.db')
  const admin = new Database(filename)
  const store = createSqliteStore({ filename })
  afterAll(async () => {
    await store.close()
    admin.close()
    rmSync(folder, { recursive: true, force: true })
  })
  findsWhatIsShown(() => ({
    database: 'sqlite',
    store,
    run(sql) {
      const isQuery = sql.startsWith('select')
      if (!isQuery) admin.exec(sql)
      return Promise.resolve(isQuery ? (admin.prepare(sql).all() as Record<string, unknown>[]) : [])
    },
  }))
})

onEachServer(
  (server) => {
    let store: ObjectStore
    beforeAll(() => {
      store = server.store()
    })
    findsWhatIsShown(() => ({
      database: server.name as EdgeDatabase,
      store,
      run: (sql) => server.admin.rows(sql),
    }))
  },
  ['postgresql', 'mysql'],
)

onEachServer(
  (server) => {
    /** Fields that show less than their columns hold. */
    const model = createModel([
      {
        name: 'Less',
        timestamps: false,
        fields: {
          row_id: { type: 'id', column: 'id' },
          moment: { type: 'datetime' },
          clock: { type: 'time' },
          ratio: { type: 'decimal', precision: 15, scale: 6 },
        },
      },
    ])
    const less = model.object('Less')
    let service: BusinessObjects

    beforeAll(async () => {
      const isMysql = server.name === 'mysql'
      const [moment, clock, ratio] = isMysql ? ['datetime(6)', 'time(6)', 'float'] : ['timestamptz', 'time', 'real']
      await server.admin.rows(
        `create table less (id int primary key, moment ${moment}, clock ${clock}, ratio ${ratio})`,
      )
      const rows = Array.from({ length: 24 }, (_, at) => {
        const fraction = `${10 + Math.floor(at / 8)}.${String((at * 37) % 1000).padStart(3, '0')}`
        return `(${at + 1}, '2024-02-29 10:00:${fraction}', '10:00:${fraction}', ${(at % 6) * 0.05})`
      })
      await server.admin.rows(`insert into less values ${rows.join(', ')}, (25, null, null, null)`)
      service = createBusinessObjects({ model, store: server.store() })
    })

    async function ids(request: SearchRequest): Promise<string[]> {
      const found: BusinessRecord[] = []
      for await (const batch of await service.search(boss, 'Less', request)) found.push(...batch)
      return found.map(({ row_id }) => row_id)
    }

    it.each(less.fields.map(({ name }) => name))(
      'a field that shows less than its column holds is compared as shown: %s',
      async (name) => {
        const records: BusinessRecord[] = []
        for await (const batch of await service.search(boss, 'Less')) records.push(...batch)
        const values = [...new Set(records.map((record) => record[name] as FieldValue))].filter(
          (value) => !isEmpty(value),
        )
        expect(values).toHaveLength(name === 'ratio' ? 6 : 3)
        for (const value of values) {
          const showing = (test: (shown: FieldValue) => boolean): string[] =>
            records
              .filter((record) => !isEmpty(record[name] as FieldValue) && test(record[name] as FieldValue))
              .map(({ row_id }) => row_id)
          expect((await ids({ filters: { [name]: `= '${String(value)}'` } })).toSorted()).toStrictEqual(
            showing((shown) => shown === value).toSorted(),
          )
          expect((await ids({ filters: { [name]: `<= '${String(value)}'` } })).toSorted()).toStrictEqual(
            showing((shown) => shown! <= value!).toSorted(),
          )
          expect((await ids({ filters: { [name]: `> '${String(value)}'` } })).toSorted()).toStrictEqual(
            showing((shown) => shown! > value!).toSorted(),
          )
        }
        for (const descending of [false, true]) {
          const order = [{ field: name, descending }]
          const found: string[] = []
          let cursor: string | undefined = ''
          while (cursor !== undefined) {
            const page: BusinessRecord[] = []
            for await (const batch of await service.search(boss, 'Less', { order, cursor, pageSize: 5 }))
              page.push(...batch)
            found.push(...page.map(({ row_id }) => row_id))
            cursor =
              page.length > 0 ? service.nextCursor(boss, 'Less', { order }, page.at(-1) as BusinessRecord) : undefined
          }
          expect(found.toSorted()).toStrictEqual(records.map(({ row_id }) => row_id).toSorted())
        }
      },
    )

    if (server.name === 'postgresql')
      it('an interval that cannot be is found nowhere, and refused when it is sent', async () => {
        await server.admin.rows('create table lasting (id int primary key, c interval)')
        await server.admin.rows("insert into lasting values (1, '1 day')")
        const store = server.store()
        const { objects: definitions } = await store.introspect()
        const own = createBusinessObjects({ model: createModel(definitions), store })
        for (const text of ['99999999999999', "= '99999999999999'", "in ('99999999999999 years')"])
          expect((await own.count(boss, 'Lasting', { filters: { c: text } })).count).toBe(0)
        await expect(own.update(boss, 'Lasting', '1', { c: '99999999999999' })).rejects.toMatchObject({
          code: 'ERR_VALIDATION',
          messages: [{ field: 'c', code: 'ERR_TYPE' }],
        })
      })

    if (server.name === 'mysql') {
      it('a text with characters that the column lacks is found nowhere', async () => {
        await server.admin.rows(
          `create table narrow (id int primary key, l varchar(20) character set latin1, u varchar(20) character set utf8mb3,
            a varchar(20) character set ascii, k varchar(20) character set koi8r collate koi8r_bin)`,
        )
        await server.admin.rows(
          "insert into narrow values (1, 'Größe €', '日本', 'x', 'мир'), (2, 'x', 'x', 'x', 'x'), (3, null, null, null, null)",
        )
        const store = server.store()
        const { objects: definitions } = await store.introspect()
        const own = createBusinessObjects({ model: createModel(definitions), store })
        const count = async (field: string, filter: string): Promise<number> =>
          (await own.count(boss, 'Narrow', { filters: { [field]: filter } })).count
        for (const [field, held, lacked] of [
          ['l', 'Größe €', '日本'],
          ['u', '日本', '😀'],
          ['a', 'x', 'ä'],
          ['k', 'мир', '日本'],
        ] as const) {
          expect(await count(field, held), field).toBe(field === 'a' ? 2 : 1)
          expect(await count(field, lacked), field).toBe(0)
          expect(await count(field, `${lacked}*`), field).toBe(0)
          expect(await count(field, `<> '${lacked}'`), field).toBe(3)
          expect(await count(field, `not like '${lacked}%'`), field).toBe(3)
          expect(await count(field, `in ('${lacked}', '${held}')`), field).toBe(field === 'a' ? 2 : 1)
          expect(await count(field, `not in ('${lacked}')`), field).toBe(3)
          // Whether it comes before or after is nothing that the database says.
          await count(field, `> '${lacked}'`).catch((error: unknown) =>
            expect(error).toMatchObject({ code: 'ERR_FILTER' }),
          )
        }
      })

      it('rows of a table with system versioning are those that are there now', async () => {
        const period = `row_start timestamp(6) generated always as row start, row_end timestamp(6) generated always as row end,
          period for system_time(row_start, row_end)`
        await server.admin.rows(
          `create table versioned (id int auto_increment, x int, u int, ${period}, primary key (id), unique (u)) with system versioning`,
        )
        await server.admin.rows('insert into versioned (x, u) values (1, 7)')
        await server.admin.rows('update versioned set x = 2')
        const store = server.store()
        const { objects: definitions } = await store.introspect()
        const own = createBusinessObjects({ model: createModel(definitions), store })
        expect(await own.get(boss, 'Versioned', '1')).toMatchObject({ row_id: '1', x: 2, u: 7 })
        expect(await own.update(boss, 'Versioned', '1', { x: 3 })).toMatchObject({ x: 3 })
        const made = await own.create(boss, 'Versioned', { x: 4, u: 8 })
        expect(made).toMatchObject({ row_id: '2', x: 4 })
        await own.delete(boss, 'Versioned', '2')
        expect((await own.count(boss, 'Versioned')).count).toBe(1)
      })

      it('row ids beyond those of 64 bits with a sign lead to their rows', async () => {
        await server.admin.rows('create table far (id bigint unsigned primary key, name varchar(20))')
        await server.admin.rows(
          "insert into far values (9223372036854775808, 'a'), (18446744073709551615, 'b'), (1, 'c')",
        )
        const store = server.store()
        const { objects: definitions } = await store.introspect()
        const own = createBusinessObjects({ model: createModel(definitions), store })
        expect(await own.get(boss, 'Far', '18446744073709551615')).toMatchObject({ name: 'b' })
        expect(await own.update(boss, 'Far', '9223372036854775808', { name: 'd' })).toMatchObject({ name: 'd' })
        expect((await own.count(boss, 'Far', { filters: { row_id: 'in (18446744073709551615, 1)' } })).count).toBe(2)
      })
    }
  },
  ['postgresql', 'mysql'],
)

/** Tables whose values are equal by more than their text, and keys of two columns with each type. */
const others: Readonly<Record<EdgeDatabase, readonly string[]>> = {
  sqlite: [
    'create table folded (id integer primary key, c text collate nocase)',
    "insert into folded values (1, 'b'), (2, 'B'), (3, 'a'), (4, null), (5, 'b '), (6, 'A'), (7, 'Ä'), (8, 'ä')",
  ],
  postgresql: [
    "create collation folding (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
    'create table folded (id int primary key, c text collate folding)',
    "insert into folded values (1, 'b'), (2, 'B'), (3, 'a'), (4, null), (5, 'b '), (6, 'A'), (7, 'Ä'), (8, 'ä')",
    'create table icu (id int primary key, c text collate "de-x-icu")',
    "insert into icu values (1, 'b'), (2, 'B'), (3, 'a'), (4, null), (5, 'b '), (6, 'A'), (7, 'Ä'), (8, 'ä')",
    'create table many_texts (id int primary key, c interval)',
    "insert into many_texts values (1, '1 day'), (2, '24:00:00'), (3, null), (4, '1 month'), (5, '30 days'), (6, '1 day')",
  ],
  mysql: ['utf8mb4_general_ci', 'utf8mb4_bin', 'utf8mb4_unicode_ci', 'utf8mb4_nopad_bin', 'latin1_swedish_ci'].flatMap(
    (collation) => {
      const [charset = ''] = collation.split('_')
      return [
        `create table t_${collation} (id int primary key, c varchar(50) character set ${charset} collate ${collation})`,
        `insert into t_${collation} values (1, 'b'), (2, 'B'), (3, 'a'), (4, null), (5, 'b '), (6, 'A'), (7, 'Ä'), (8, 'ä')`,
      ]
    },
  ),
}

function findsWhatIsShown(place: () => Place): void {
  let service: BusinessObjects
  let objects: readonly ObjectModel[]
  let tables: ReadonlyMap<string, EdgeTable>

  beforeAll(async () => {
    const { database, run, store } = place()
    const made = edgeTables(database, { seed, random: 1 }).filter(
      ({ type }, at) => type.leftOut === undefined && (!isQuick || at % 6 === 0),
    )
    tables = new Map(made.map((table) => [table.table, table]))
    for (const sql of [...prepare(database), ...statementsOf(made), ...others[database]]) await run(sql)
    for (const { table, columns } of made) {
      // Each value is there twice, and so is NULL.
      await run(
        `insert into ${table} (id, ${columns.join(', ')}) select id + ${copies}, ${columns.join(', ')} from ${table}`,
      )
      if (!oddKeys.has(table)) await makeKeyTable(run, table, database)
    }
    const { objects: definitions } = await store.introspect()
    const model = createModel(definitions)
    service = createBusinessObjects({ model, store })
    objects = [...model.objects.values()]
  }, 120_000)

  async function all(object: ObjectModel, request: SearchRequest = {}): Promise<BusinessRecord[]> {
    const found: BusinessRecord[] = []
    for await (const batch of await service.search(boss, object.name, request)) found.push(...batch)
    return found
  }

  const ids = async (object: ObjectModel, request: SearchRequest): Promise<string[]> =>
    (await all(object, request)).map(({ row_id }) => row_id)

  /** Objects with the field that shows the column `c`, as far as it can be filtered and sorted. */
  const shownFields = (): (readonly [ObjectModel, FieldModel])[] =>
    objects.flatMap((object) => {
      const field = object.fields.find(({ column }) => column.toLowerCase() === 'c')
      const kind = field?.columnType.kind ?? 'bytes'
      return field && !object.id.parts && field.type.ordered && kind !== 'json' && kind !== 'bytes'
        ? [[object, field] as const]
        : []
    })

  it(`a value that is shown, as a filter, a list or a bound, finds the rows that show it (seed ${seed})`, async () => {
    const wrong: string[] = []
    let checks = 0
    for (const [object, field] of shownFields()) {
      const { name } = field
      const rows = await all(object, { order: [{ field: name, descending: false }] })
      const same = await equality(place(), object, field, rows)
      const empty = await emptyRows(place(), object, field, rows)
      for (const value of valuesOf(rows, name)) {
        const at = rows.flatMap((row, index) => (same(row[name] as FieldValue, value) ? [index] : []))
        const [first = 0, last = 0] = [at[0], at.at(-1)]
        const filled = rows.findIndex(({ row_id }) => !empty.has(row_id))
        const text = `'${String(value).replaceAll("'", "''")}'`
        const expected: Readonly<Record<string, readonly BusinessRecord[]>> = {
          [`= ${text}`]: at.map((index) => rows[index] as BusinessRecord),
          [`in (${text})`]: at.map((index) => rows[index] as BusinessRecord),
          [`>= ${text}`]: rows.slice(first),
          [`<= ${text}`]: rows.slice(Math.max(filled, 0), last + 1),
          [`> ${text}`]: rows.slice(last + 1),
          [`< ${text}`]: rows.slice(Math.max(filled, 0), first),
          [`<> ${text}`]: rows.filter((_, index) => !at.includes(index)),
        }
        for (const [filter, found] of Object.entries(expected)) {
          checks++
          const answer = await ids(object, { filters: { [name]: filter } }).catch((error: unknown) => [String(error)])
          const wanted = found.map(({ row_id }) => row_id)
          if (answer.toSorted().join() !== wanted.toSorted().join())
            wrong.push(`${object.name}.${name} ${filter.slice(0, 80)}: ${answer.join()} in place of ${wanted.join()}`)
        }
        const bound = ['integer', 'decimal'].includes(field.columnType.kind) ? 'n' : 'd'
        if (['integer', 'decimal', 'date', 'datetime', 'time'].includes(field.columnType.kind)) {
          checks++
          const filters = { [`${bound}min__${name}`]: String(value), [`${bound}max__${name}`]: String(value) }
          const answer = await ids(object, { filters }).catch((error: unknown) => [String(error)])
          const wanted = at.map((index) => (rows[index] as BusinessRecord).row_id)
          if (answer.toSorted().join() !== wanted.toSorted().join())
            wrong.push(`${object.name}.${name} bounds ${String(value)}: ${answer.join()} in place of ${wanted.join()}`)
        }
      }
    }
    expect(wrong.slice(0, 200).join('\n')).toBe('')
    expect(checks).toBeGreaterThan(isQuick ? 80 : 500)
  }, 300_000)

  it(`pages by cursor give each row once, in both directions (seed ${seed})`, async () => {
    const wrong: string[] = []
    for (const [object, field] of shownFields())
      for (const descending of [false, true]) {
        const order = [
          { field: field.name, descending },
          { field: 'row_id', descending },
        ]
        const rows = await all(object, { order })
        // A cursor of such a length is refused.
        if (rows.some((row) => String(row[field.name]).length > 2_000)) continue
        const wanted = rows.map(({ row_id }) => row_id)
        const found: string[] = []
        try {
          let cursor: string | undefined = ''
          while (cursor !== undefined && found.length <= wanted.length) {
            const page = await all(object, { order, cursor, pageSize: 3 })
            found.push(...page.map(({ row_id }) => row_id))
            cursor =
              page.length > 0
                ? service.nextCursor(boss, object.name, { order }, page.at(-1) as BusinessRecord)
                : undefined
          }
        } catch (error) {
          found.push(String(error))
        }
        if (found.join() !== wanted.join())
          wrong.push(
            `${object.name}.${field.name} ${descending ? 'down' : 'up'}: ${found.join()} in place of ${wanted.join()}`,
          )
      }
    expect(wrong.slice(0, 100).join('\n')).toBe('')
  }, 300_000)

  it(`a row id and a functional key with the value lead to the row (seed ${seed})`, async () => {
    const wrong: string[] = []
    let checks = 0
    for (const object of objects.filter(({ id }) => id.parts)) {
      for (const record of await all(object)) {
        // An impossible day is shown as empty, and has no address.
        if (record.row_id.endsWith('~') && place().database === 'mysql') continue
        checks++
        const found = await service.get(boss, object.name, record.row_id).catch((error: unknown) => String(error))
        if (JSON.stringify(found) !== JSON.stringify(record))
          wrong.push(`${object.name} ${record.row_id}: ${JSON.stringify(found)} in place of ${JSON.stringify(record)}`)
        const key = object.key.map(({ name }) => record[name] as FieldValue)
        if (key.some(isEmpty)) continue
        const id = await service.findByKey(boss, object.name, key).catch((error: unknown) => String(error))
        if (id !== record.row_id)
          wrong.push(`${object.name} key ${JSON.stringify(key)}: ${id} in place of ${record.row_id}`)
      }
    }
    expect(wrong.slice(0, 100).join('\n')).toBe('')
    expect(checks).toBeGreaterThan(isQuick ? 8 : 50)
  }, 300_000)

  it(`groups have the values that are shown (seed ${seed})`, async () => {
    const wrong: string[] = []
    const { store } = place()
    for (const [object, { name }] of shownFields()) {
      const rows = await all(object)
      const groups = await store.aggregate(object, { groups: [{ field: name }], values: [{ function: 'count' }] })
      const shown = new Set(rows.map((row) => JSON.stringify(row[name])))
      const counted = groups.reduce((sum, { values: [count] }) => sum + Number(count), 0)
      const unknown = groups.filter(({ groups: [value] }) => !shown.has(JSON.stringify(value)))
      if (unknown.length > 0 || counted !== rows.length)
        wrong.push(`${object.name}.${name}: ${JSON.stringify(unknown)}, ${counted} of ${rows.length}`)
    }
    expect(wrong.join('\n')).toBe('')
  }, 300_000)

  it('every type of the database is among them', () => {
    const shown = new Set(objects.map(({ table }) => table))
    expect([...tables.keys()].filter((table) => !shown.has(table))).toStrictEqual([])
  })
}

/** A table with a primary key of an id and the value, where the database has such keys. */
async function makeKeyTable(run: Place['run'], table: string, database: EdgeDatabase): Promise<void> {
  const name = `kk_${table}`
  try {
    if (database === 'sqlite') {
      const [{ sql = '' } = {}] = await run(`select sql from sqlite_master where name = '${table}'`)
      const [, type = ''] = /, n (.*?) not null/.exec(String(sql)) ?? []
      await run(`create table ${name} (id integer not null, n ${type} not null, primary key (id, n)) without rowid`)
    } else if (database === 'postgresql') {
      await run(`create table ${name} as select id, n from ${table} where false`)
      await run(`alter table ${name} add primary key (id, n)`)
    } else {
      await run(`create table ${name} as select id, n from ${table} where false`)
      await run(`alter table ${name} add primary key (id, n)`)
    }
    await run(`insert into ${name} select id % 2, n from ${table} where id < ${copies} group by id % 2, n`)
  } catch {
    await run(`drop table if exists ${name}`)
  }
}

/** Which values of a field are one to its database: those that show the same, and texts that are equal in their collation. */
async function equality(
  { database, run }: Place,
  { table }: ObjectModel,
  { name, columnType: { kind } }: FieldModel,
  rows: readonly BusinessRecord[],
): Promise<(a: FieldValue, b: FieldValue) => boolean> {
  const isFolding = database === 'mysql' || table === 'folded'
  if (!isFolding || (kind !== 'string' && kind !== 'text'))
    return (a, b) =>
      JSON.stringify(a) === JSON.stringify(b) || (isNumber(a) && isNumber(b) && Number(a) === 0 && Number(b) === 0)
  const pairs = await run(`select a.id as a, b.id as b from ${table} a join ${table} b on a.c = b.c`)
  const texts = new Map(rows.map((row) => [row.row_id, row[name] as string]))
  const same = new Set(pairs.map(({ a, b }) => JSON.stringify([texts.get(String(a)), texts.get(String(b))])))
  return (a, b) => same.has(JSON.stringify([a, b]))
}

/** Rows whose value is empty, to the database too: blanks alone are the same as an empty text in some collations of MySQL. */
async function emptyRows(
  { database, run }: Place,
  { table }: ObjectModel,
  { name, columnType: { kind } }: FieldModel,
  rows: readonly BusinessRecord[],
): Promise<ReadonlySet<string>> {
  const shown = rows.filter((row) => isEmpty(row[name] as FieldValue)).map(({ row_id }) => row_id)
  const isText = kind === 'string' || kind === 'text'
  const blank = database === 'mysql' && isText ? await run(`select id from ${table} where c = ''`) : []
  return new Set([...shown, ...blank.map(({ id }) => String(id))])
}

function isNumber(value: FieldValue): boolean {
  return typeof value === 'number' || value === '-0'
}

function isEmpty(value: FieldValue): boolean {
  return value === '' || value === null || (Array.isArray(value) && value.length === 0)
}

/** Distinct values that a filter can name: neither empty nor long. */
function valuesOf(rows: readonly BusinessRecord[], name: string): FieldValue[] {
  const texts = new Set(rows.map((row) => JSON.stringify(row[name] ?? null)))
  return [...texts]
    .map((text) => JSON.parse(text) as FieldValue)
    .filter((value) => !isEmpty(value) && (typeof value !== 'string' || (value.length < 1_000 && value.trim() !== '')))
}
