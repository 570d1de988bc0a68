import {
  createModel,
  type FieldDefinition,
  type Model,
  type ObjectDefinition,
  type PlanOptions,
  type SyncPlan,
} from '@steward/rest-core'
import { StoreError } from '@steward/rest-core/errors'
import { expect, it } from 'vitest'
import { onEachDatabase } from '../../../test/schema-databases.js'
import { applySync, planSync } from './sync.js'

type Fields = Readonly<Record<string, FieldDefinition>>

const nothing: SyncPlan = { steps: [], leftover: [] }
let sequence = 0

/** A table that no other test uses. */
function newTable(): string {
  sequence += 1
  return `t${sequence}`
}

function modelOf(
  table: string,
  fields: Fields,
  more: Partial<ObjectDefinition> = {},
  others: ObjectDefinition[] = [],
): Model {
  return createModel([{ name: 'Thing', table, timestamps: false, fields, ...more }, ...others])
}

function kindsOf({ steps }: SyncPlan): string[] {
  return steps.map(({ kind }) => kind)
}

onEachDatabase((database) => {
  const sync = (model: Model, destructive = false) =>
    applySync(model, database.connection, database.dialect, { destructive })
  const plan = (model: Model, options?: PlanOptions) => planSync(model, database.connection, database.dialect, options)
  /** Values and those that would be lost, by column. */
  const losses = async (model: Model) =>
    Object.fromEntries(
      ((await plan(model, { rows: true })).losses ?? []).map(({ column, values, lost }) => [column, [values, lost]]),
    )
  const q = (name: string): string => database.dialect.quote(name)

  /** Syncs, and expects that nothing is left to do. */
  async function synced(model: Model, destructive = false): Promise<SyncPlan> {
    const done = await sync(model, destructive)
    expect((await plan(model)).steps).toStrictEqual([])
    return done
  }

  async function values(table: string, column: string): Promise<unknown[]> {
    return (await database.rows(`select ${q(column)} as v from ${q(table)} order by 1`)).map(({ v }) => v)
  }

  async function refusal(model: Model, destructive = false): Promise<StoreError> {
    const error: unknown = await sync(model, destructive).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(StoreError)
    expect((error as StoreError).code).toBe('schema')
    return error as StoreError
  }

  it('makes every kind of column, and a second sync has nothing to do', async () => {
    const model = modelOf(
      newTable(),
      {
        a: { type: 'string', length: 20, key: true },
        b: { type: 'integer', precision: 9, key: true },
        c: { type: 'text', index: true },
        d: { type: 'decimal', precision: 12, scale: 3 },
        e: { type: 'decimal', precision: 38, scale: 10, unique: true },
        f: { type: 'boolean' },
        g: { type: 'date', index: true },
        h: { type: 'datetime' },
        i: { type: 'time' },
        j: { type: 'enum', values: ['x', 'y'] },
        k: { type: 'multi-enum', values: ['x', 'y'] },
        l: { type: 'object' },
        m: { type: 'integer', precision: 18 },
        n: { type: 'string', length: 5000, index: true },
        o: { type: 'reference', object: 'Thing' },
        p: { type: 'image' },
        q: { type: 'string', length: 700, index: true },
      },
      { timestamps: true },
    )
    const done = await synced(model)
    expect(kindsOf(done).filter((kind) => kind === 'createTable')).toHaveLength(1)
    expect(await sync(model)).toStrictEqual(nothing)
    expect(await sync(model, true)).toStrictEqual(nothing)
  })

  it('names that need quoting are taken as they are', async () => {
    const table = `${newTable()} "it's" \`a\` é`
    const column = 'select "x" \'y\' `z` as b'
    const fields: Fields = {
      a: { type: 'string', column, key: true },
      b: { type: 'reference', object: 'Thing', column: 'a.b', onDelete: 'cascade' },
    }
    await synced(modelOf(table, fields))
    await synced(modelOf(table, { ...fields, a: { type: 'string', column, length: 300, key: true } }))
    await database.script(`insert into ${q(table)} (${q(column)}) values ('x')`)
    expect(await values(table, column)).toStrictEqual(['x'])
  })

  it('a name that the database would cut is refused', async () => {
    const model = modelOf('x'.repeat(70), { a: { type: 'string', key: true } })
    if (['sqlite', 'mssql'].includes(database.dialect.name)) await synced(model)
    else expect((await refusal(model)).message).toContain('too long')
  })

  it('column changes that lose nothing keep values, indexes and rules', async () => {
    const table = newTable()
    const parent: ObjectDefinition = {
      name: 'Parent',
      table: `${table}_p`,
      timestamps: false,
      fields: { a: { type: 'string' } },
    }
    const link: Fields = { link: { type: 'reference', object: 'Parent', onDelete: 'cascade' } }
    await synced(
      modelOf(
        table,
        {
          a: { type: 'string', length: 5, index: true },
          b: { type: 'decimal', precision: 10, scale: 2, key: true },
          c: { type: 'decimal', precision: 15, scale: 3, index: true },
          d: { type: 'integer', precision: 4, unique: true },
          ...link,
        },
        {},
        [parent],
      ),
    )
    await database.script(`
      insert into ${q(`${table}_p`)} (a) values ('p');
      insert into ${q(table)} (a, b, c, d, link) values ('abc', 1.25, -12.345, 12, 1);
      insert into ${q(table)} (a) values (null);`)
    const after = modelOf(
      table,
      {
        a: { type: 'text', index: true },
        b: { type: 'decimal', precision: 14, scale: 4, key: true },
        c: { type: 'decimal', precision: 30, scale: 5, index: true },
        d: { type: 'integer', precision: 18, unique: true },
        ...link,
      },
      {},
      [parent],
    )
    const done = await synced(after)
    expect(done.steps.filter((step) => step.destructive)).toStrictEqual([])
    expect(kindsOf(done)).toContain('changeColumn')
    expect((await values(table, 'a')).filter(Boolean)).toStrictEqual(['abc'])
    expect((await values(table, 'b')).filter(Boolean).map(Number)).toStrictEqual([1.25])
    await database.script(`insert into ${q(table)} (a, d) values ('${'x'.repeat(10_000)}', 13)`)
    await expect(database.script(`insert into ${q(table)} (d) values (13)`)).rejects.toThrow()
    await database.script(`delete from ${q(`${table}_p`)}`)
    expect((await values(table, 'd')).map(Number).filter(Boolean)).toStrictEqual([13])
  })

  it('a type change keeps what fits the new type, and only when asked for', async () => {
    const table = newTable()
    const texts = (type: FieldDefinition): Fields => ({ a: type, b: type, c: type, d: type, e: type, f: type })
    await synced(modelOf(table, texts({ type: 'string', length: 40 })))
    const old = ['12', ' -7 ', '1.6', 'abc', '2024-02-29', '23:59:58', 'true', '0', '12345678901234567890', '']
    for (const value of old) {
      await database.connection.run(
        `insert into ${q(table)} (a, b, c, d, e, f) values (${Array(6).fill(`'${value}'`).join(', ')})`,
      )
    }
    const after = modelOf(table, {
      a: { type: 'integer', precision: 9 },
      b: { type: 'decimal', precision: 5, scale: 1 },
      c: { type: 'date' },
      d: { type: 'time' },
      e: { type: 'boolean' },
      f: { type: 'string', length: 3 },
    })
    expect((await refusal(after)).message).toContain(`${table}.a`)
    expect(await losses(after)).toStrictEqual({
      a: [10, 7],
      b: [10, 6],
      c: [10, 9],
      d: [10, 9],
      e: [10, 8],
      f: [10, 5],
    })
    await synced(after, true)
    const filled = async (column: string) => (await values(table, column)).filter((value) => value !== null)
    expect((await filled('a')).map(Number)).toStrictEqual([-7, 0, 2, 12])
    expect((await filled('b')).map(Number)).toStrictEqual([-7, 0, 1.6, 12])
    expect(await filled('c')).toHaveLength(1)
    expect(await filled('d')).toStrictEqual(['23:59:58'])
    expect((await filled('e')).map(Boolean)).toStrictEqual([false, true])
    expect(await filled('f')).toHaveLength(10)
    expect(await filled('f')).toContain('202')
  })

  it('numbers, booleans and dates become texts, and texts longer than the field are cut', async () => {
    const table = newTable()
    await synced(
      modelOf(table, {
        a: { type: 'integer' },
        b: { type: 'decimal', precision: 30, scale: 2 },
        c: { type: 'date' },
        d: { type: 'decimal', precision: 30, scale: 2 },
      }),
    )
    const exact = database.dialect.name === 'sqlite' ? "'p02:12.5'" : '12.5'
    await database.script(`insert into ${q(table)} (a, b, c, d) values (123456, ${exact}, '2024-02-29', ${exact})`)
    const after = modelOf(table, {
      a: { type: 'string', length: 4 },
      b: { type: 'decimal', precision: 8, scale: 2 },
      c: { type: 'string' },
      d: { type: 'string', length: 4 },
    })
    expect(await losses(after)).toMatchObject({ a: [1, 1], b: [1, 0], c: [1, 0] })
    await synced(after, true)
    expect(await values(table, 'a')).toStrictEqual(['1234'])
    expect((await values(table, 'b')).map(Number)).toStrictEqual([12.5])
    expect(await values(table, 'c')).toStrictEqual(['2024-02-29'])
    expect((await values(table, 'd')).map(Number)).toStrictEqual([12.5])
  })

  it('a plan with rows counts what a destructive sync would drop, cut, round or empty, under the names of now', async () => {
    const table = newTable()
    await synced(
      modelOf(table, {
        short: { type: 'string', length: 40 },
        price: { type: 'decimal', precision: 10, scale: 3 },
        large: { type: 'decimal', precision: 30, scale: 3 },
        at: { type: 'datetime' },
        gone: { type: 'string' },
        empty: { type: 'string' },
      }),
    )
    const large =
      database.dialect.name === 'sqlite' ? ["'p01:1.5'", "'p20:12345678901234567890'"] : ['1.5', '12345678901234567890']
    await database.script(`
      insert into ${q(table)} (short, price, large, at, gone) values ('fits', 1.5, ${large[0]}, '2024-02-29 00:00:00', 'x');
      insert into ${q(table)} (short, price, large, at) values ('does not fit', 1.234, ${large[1]}, '2024-02-29 10:11:12');
      insert into ${q(table)} (gone) values ('y')`)
    const after = modelOf(
      `${table}_new`,
      {
        brief: { type: 'string', length: 5, renamedFrom: 'short' },
        price: { type: 'decimal', precision: 10, scale: 2 },
        large: { type: 'decimal', precision: 12, scale: 3 },
        at: { type: 'date' },
      },
      { renamedFrom: table },
    )
    expect((await plan(after)).losses).toBeUndefined()
    const { losses: counted, refusal: none } = await plan(after, { rows: true })
    expect(none).toBeUndefined()
    expect(counted?.find(({ column }) => column === 'brief')).toStrictEqual({
      table: `${table}_new`,
      column: 'brief',
      description: `change column ${table}_new.brief from string(40) to string(5)`,
      values: 2,
      lost: 1,
    })
    expect(await losses(after)).toStrictEqual({
      brief: [2, 1],
      price: [2, 1],
      large: [2, 1],
      at: [2, 1],
      gone: [2, 2],
      empty: [0, 0],
    })
    await synced(after, true)
    expect(await losses(after)).toStrictEqual({})
    expect(await values(`${table}_new`, 'brief')).toContain('does ')
  })

  it('a unique index is refused with the rows that hinder it, before anything is changed', async () => {
    const table = newTable()
    await synced(modelOf(table, { a: { type: 'string' }, b: { type: 'integer' } }))
    await database.script(`insert into ${q(table)} (a, b) values ('x', 1), ('x', 1), ('y', 1), (null, 1), (null, 1)`)
    const after = modelOf(table, {
      name: { type: 'string', key: true, renamedFrom: 'a' },
      b: { type: 'integer', key: true },
      added: { type: 'string' },
    })
    const { message } = await refusal(after)
    expect(message).toContain(table)
    expect(message).toContain('"x"')
    expect(message).not.toContain('"y"')
    expect(kindsOf(await plan(after))).toStrictEqual(['renameColumn', 'addColumn', 'addIndex'])
    expect((await plan(after, { rows: true })).refusal).toBe(message)
    await database.script(
      `update ${q(table)} set b = b + 1 where a = 'x'; update ${q(table)} set b = 9 where row_id = 1`,
    )
    await synced(after)
  })

  it('a reference is refused while values point nowhere, before anything is changed', async () => {
    const table = newTable()
    await synced(modelOf(table, { a: { type: 'integer', precision: 18 } }))
    await database.script(`insert into ${q(table)} (a) values (1), (1), (77), (null)`)
    const after = modelOf(table, {
      own: { type: 'reference', object: 'Thing', renamedFrom: 'a' },
      added: { type: 'string' },
    })
    const { message } = await refusal(after)
    expect(message).toContain('77')
    expect(kindsOf(await plan(after))).toStrictEqual(['renameColumn', 'addColumn', 'addIndex', 'addForeignKey'])
    await database.script(`update ${q(table)} set a = null where a = 77`)
    await synced(after)
    await expect(database.script(`insert into ${q(table)} (own) values (77)`)).rejects.toThrow()
  })

  it('a reference to a table that is new cannot keep values', async () => {
    const table = newTable()
    await synced(modelOf(table, { a: { type: 'integer', precision: 18 } }))
    await database.script(`insert into ${q(table)} (a) values (5)`)
    const other: ObjectDefinition = { name: 'Other', table: `${table}_o`, fields: { x: { type: 'string' } } }
    expect(
      (await refusal(modelOf(table, { a: { type: 'reference', object: 'Other' } }, {}, [other]))).message,
    ).toContain('5')
  })

  it('an index of a renamed table does not hinder a new table of the old name', async () => {
    const table = newTable()
    const fields: Fields = { a: { type: 'string', key: true }, own: { type: 'reference', object: 'Thing' } }
    await synced(modelOf(table, fields))
    await synced(modelOf(`${table}_new`, fields, { renamedFrom: table }))
    const both = modelOf(`${table}_new`, fields, { renamedFrom: table }, [
      {
        name: 'Again',
        table,
        timestamps: false,
        fields: { a: { type: 'string', key: true }, own: { type: 'reference', object: 'Again' } },
      },
    ])
    const done = await synced(both)
    expect(done.steps.every((step) => step.table === table)).toBe(true)
  })

  it('names swapped by hints are no renames', async () => {
    const table = newTable()
    await synced(modelOf(table, { a: { type: 'string' }, b: { type: 'string' } }))
    const swapped = modelOf(table, { a: { type: 'string', renamedFrom: 'b' }, b: { type: 'string', renamedFrom: 'a' } })
    expect(await plan(swapped)).toStrictEqual(nothing)
  })

  it('indexes, foreign keys and rows of the owner of a mapped table are left alone', async () => {
    const table = newTable()
    const text = database.dialect.name === 'sqlite' ? 'text' : 'varchar(100)'
    await database.script(`
      create table ${q(`${table}_p`)} (id int not null primary key, label ${text} not null);
      create table ${q(table)} (id int not null primary key, name ${text} not null, extra ${text} default 'x' not null,
        parent int not null, constraint ${q(`${table}_c`)} foreign key (parent) references ${q(`${table}_p`)} (id) on delete cascade);
      create index ${q(`${table}_i`)} on ${q(table)} (name, extra);
      create index ${q(`${table}_j`)} on ${q(table)} (parent, name);
      create unique index ${q(`${table}_u`)} on ${q(table)} (name)`)
    const before = await database.dialect.read(database.connection)
    const length = database.dialect.name === 'sqlite' ? {} : { length: 50 }
    const model = modelOf(
      table,
      {
        row_id: { type: 'id', column: 'id' },
        name: { type: 'string', ...length, key: true, index: true },
        parent: { type: 'reference', object: 'Parent' },
      },
      {},
      [
        {
          name: 'Parent',
          table: `${table}_p`,
          timestamps: false,
          fields: { row_id: { type: 'id', column: 'id' }, label: { type: 'string', ...length } },
        },
      ],
    )
    expect(await sync(model, true)).toStrictEqual(nothing)
    expect(await database.dialect.read(database.connection)).toStrictEqual(before)

    const grown = modelOf(
      table,
      {
        row_id: { type: 'id', column: 'id' },
        name: { type: 'string', length: 200, key: true },
        added: { type: 'string', unique: true },
      },
      {},
      [],
    )
    await database.script(
      `insert into ${q(`${table}_p`)} values (1, 'p'); insert into ${q(table)} (id, name, parent) values (1, 'n', 1)`,
    )
    await synced(grown)
    expect(await database.rows(`select name, extra, parent, added from ${q(table)}`)).toStrictEqual([
      { name: 'n', extra: 'x', parent: 1, added: null },
    ])
    const after = (await database.dialect.read(database.connection)).tables.find(({ name }) => name === table)
    expect(after?.columns.find(({ name }) => name === 'name')?.nullable).toBe(false)
    expect(after?.indexes.map(({ name }) => name)).toEqual(
      expect.arrayContaining([`${table}_i`, `${table}_j`, `${table}_u`]),
    )
    expect(after?.foreignKeys).toHaveLength(1)
  })

  it('a table without the row id of its object is refused, saying how to map it', async () => {
    const table = newTable()
    await database.script(`create table ${q(table)} (code varchar(10) not null primary key, name varchar(10))`)
    expect((await refusal(modelOf(table, { name: { type: 'string', length: 10 } }))).message).toContain('row_id')
    const wrong = modelOf(table, { row_id: { type: 'id', column: 'code' }, name: { type: 'string', length: 10 } })
    expect((await refusal(wrong)).message).toContain('code')
    const right = modelOf(table, {
      row_id: { type: 'id', column: 'code', values: 'string' },
      name: { type: 'string', length: 10 },
      own: { type: 'reference', object: 'Thing' },
    })
    await synced(right)
    await database.script(
      `insert into ${q(table)} (code, own) values ('a', null); insert into ${q(table)} (code, own) values ('b', 'a')`,
    )
    await expect(database.script(`insert into ${q(table)} (code, own) values ('c', 'x')`)).rejects.toThrow()
  })

  it('a view serves its object and is never changed', async () => {
    const table = newTable()
    await synced(modelOf(table, { a: { type: 'string' } }))
    await database.script(`create view ${q(`${table}_v`)} as select row_id, a from ${q(table)}`)
    const viewed = modelOf(table, { a: { type: 'string' }, link: { type: 'reference', object: 'Shown' } }, {}, [
      {
        name: 'Shown',
        table: `${table}_v`,
        readOnly: true,
        timestamps: false,
        fields: { a: { type: 'string' }, more: { type: 'integer' } },
      },
    ])
    expect(kindsOf(await synced(viewed))).toStrictEqual(['addColumn', 'addIndex'])
  })

  it('servers that sync at the same time do it once, and all succeed', async () => {
    const table = newTable()
    const model = modelOf(table, { a: { type: 'string', key: true }, own: { type: 'reference', object: 'Thing' } })
    const plans = await Promise.all([
      applySync(model, database.connection, database.dialect),
      applySync(model, database.other, database.dialect),
    ])
    expect(plans.filter(({ steps }) => steps.length > 0)).toHaveLength(1)
    const wider = modelOf(table, {
      a: { type: 'string', key: true, length: 300 },
      own: { type: 'reference', object: 'Thing', onDelete: 'cascade' },
    })
    const changes = await Promise.all([
      applySync(wider, database.other, database.dialect),
      applySync(wider, database.connection, database.dialect),
    ])
    expect(changes.filter(({ steps }) => steps.length > 0)).toHaveLength(1)
    expect(await plan(wider)).toStrictEqual(nothing)
  })

  it('a step that the database refuses is named, and is undone where the database can do that', async () => {
    const table = newTable()
    await database.script(`create table ${q(table)} (row_id integer not null primary key, a varchar(10))`)
    // What hinders the drop of column "a" in each database.
    const hindrance = {
      sqlite: `create trigger ${q(`${table}_t`)} after insert on ${q(table)} begin select a from ${q(table)}; end`,
      postgresql: `create view ${q(`${table}_v`)} as select a from ${q(table)}`,
      mysql: `create unique index i on ${q(table)} (a); create table ${q(`${table}_c`)} (a varchar(10), foreign key (a) references ${q(table)} (a))`,
      mssql: `create unique index i on ${q(table)} (a); create table ${q(`${table}_c`)} (a varchar(10), foreign key (a) references ${q(table)} (a))`,
    }[database.dialect.name]
    await database.script(hindrance)
    const model = modelOf(table, { first: { type: 'string' } })
    const { message } = await refusal(model, true)
    expect(message).toContain(table)
    expect(message).toContain('drop column')
    const undone = database.dialect.transactionalDdl
    expect(message).toContain(undone ? 'Nothing was changed' : 'steps before it are done')
    expect(kindsOf(await plan(model))).toStrictEqual(undone ? ['addColumn'] : [])
  })
})
