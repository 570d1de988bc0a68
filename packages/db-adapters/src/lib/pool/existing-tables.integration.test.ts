import { createModel, type BusinessRecord, type Filter, type ObjectStore } from '@steward/rest-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { onEachServer } from '../../../test/server-stores.js'

/** Tables that `sync` would have made in another way, with what their rows hold. */
const tables = {
  postgresql: `
    create type mood as enum ('sad', 'ok', 'happy');
    create table thing (
      id uuid primary key, name text collate "en-x-icu", code char(5), feeling mood, amount numeric, ratio real, size smallint,
      flag boolean, day date, moment timestamptz(3), clock time(6), tags varchar(50), data jsonb, parent uuid references thing
    );
    insert into thing values
      ('11111111-1111-4111-8111-111111111111', 'b', 'x', 'happy', 12.500, 1.1, 3, true, '2024-02-29', '2024-02-29 13:45:00.789+02', '13:45:00.123456', ';a;b;', '{"k": [1, 2]}', null),
      ('22222222-2222-4222-8222-222222222222', 'B', null, null, null, null, null, null, null, null, null, null, null, '11111111-1111-4111-8111-111111111111'),
      ('33333333-3333-4333-8333-333333333333', '', '', 'sad', -0.001, -2.5, -3, false, '0001-01-01', '9999-12-31 23:59:59+00', '00:00:00', '', 'null', null)`,
  mysql: `
    create table thing (
      id char(36) primary key, name varchar(50) collate utf8mb4_general_ci, code char(5), feeling enum('sad', 'ok', 'happy'), amount decimal(20, 3),
      ratio float, size tinyint, flag bit(1), day date, moment datetime(3), clock time(6), tags varchar(50), data json,
      parent char(36), foreign key (parent) references thing (id)
    );
    insert into thing values
      ('11111111-1111-4111-8111-111111111111', 'b', 'x', 'happy', 12.500, 1.1, 3, b'1', '2024-02-29', '2024-02-29 11:45:00.789', '13:45:00.123456', ';a;b;', '{"k": [1, 2]}', null),
      ('22222222-2222-4222-8222-222222222222', 'B', null, null, null, null, null, null, null, null, null, null, null, '11111111-1111-4111-8111-111111111111'),
      ('33333333-3333-4333-8333-333333333333', '', '', 'sad', -0.001, -2.5, -3, b'0', '1000-01-01', '9999-12-31 23:59:59', '00:00:00', '', 'null', null);
    set sql_mode = '';
    insert into thing (id, name, day, moment) values ('44444444-4444-4444-8444-444444444444', 'zero', '0000-00-00', '0000-00-00 00:00:00')`,
  mssql: `
    create table thing (
      id char(36) primary key, name nvarchar(50) collate SQL_Latin1_General_CP1_CI_AS, code char(5), feeling varchar(10) check (feeling in ('sad', 'ok', 'happy')), amount decimal(20, 3),
      ratio real, size smallint, flag bit, day date, moment datetime2(3), clock time(6), tags varchar(50), data nvarchar(max),
      parent char(36) references thing (id)
    );
    insert into thing values
      ('11111111-1111-4111-8111-111111111111', 'b', 'x', 'happy', 12.500, 1.1, 3, 1, '2024-02-29', '2024-02-29 11:45:00.789', '13:45:00.123456', ';a;b;', '{"k": [1, 2]}', null),
      ('22222222-2222-4222-8222-222222222222', 'B', null, null, null, null, null, null, null, null, null, null, null, '11111111-1111-4111-8111-111111111111'),
      ('33333333-3333-4333-8333-333333333333', '', '', 'sad', -0.001, -2.5, -3, 0, '0001-01-01', '9999-12-31 23:59:59', '00:00:00', '', 'null', null)`,
}

const model = createModel([
  {
    name: 'Thing',
    fields: {
      row_id: { type: 'id', values: 'string', column: 'id' },
      name: { type: 'string' },
      code: { type: 'string', length: 5 },
      feeling: { type: 'enum', values: ['sad', 'ok', 'happy'] },
      amount: { type: 'decimal', precision: 20, scale: 3 },
      ratio: { type: 'decimal', precision: 15, scale: 5 },
      size: { type: 'integer' },
      flag: { type: 'boolean' },
      day: { type: 'date' },
      moment: { type: 'datetime' },
      clock: { type: 'time' },
      tags: { type: 'multi-enum', values: ['a', 'b'] },
      data: { type: 'object' },
      parent: { type: 'reference', object: 'Thing', display: ['name'] },
    },
    timestamps: false,
  },
])
const thing = model.object('Thing')
const { selection: select, order } = thing
const [one, two, three] = [
  '11111111-1111-4111-8111-111111111111',
  '22222222-2222-4222-8222-222222222222',
  '33333333-3333-4333-8333-333333333333',
]

onEachServer((database) => {
  let store: ObjectStore
  beforeAll(async () => {
    store = database.store()
    for (const statement of tables[database.name].split(';\n')) await database.admin.rows(statement)
  })

  async function find(where: Filter, sort = order): Promise<BusinessRecord[]> {
    const found: BusinessRecord[] = []
    for await (const batch of store.search(thing, { select, order: sort, where, limit: 100 })) found.push(...batch)
    return found
  }

  const ids = async (where: Filter): Promise<string[]> => (await find(where)).map(({ row_id }) => row_id)

  describe('tables that others made', () => {
    it('are read in the forms of records', async () => {
      expect(await store.get(thing, one, { select })).toStrictEqual({
        row_id: one,
        name: 'b',
        code: database.name === 'mysql' ? 'x' : 'x    ',
        feeling: 'happy',
        amount: 12.5,
        ratio: 1.1,
        size: 3,
        flag: true,
        day: '2024-02-29',
        moment: '2024-02-29 11:45:00',
        clock: '13:45:00',
        tags: ['a', 'b'],
        data: { k: [1, 2] },
        parent: '',
        parent__name: '',
      })
      expect(await store.get(thing, two, { select })).toStrictEqual({
        row_id: two,
        name: 'B',
        code: '',
        feeling: '',
        amount: null,
        ratio: null,
        size: null,
        flag: false,
        day: '',
        moment: '',
        clock: '',
        tags: [],
        data: null,
        parent: one,
        parent__name: 'b',
      })
      expect(await store.get(thing, three, { select })).toMatchObject({
        name: '',
        amount: -0.001,
        ratio: -2.5,
        size: -3,
        flag: false,
        tags: [],
        data: null,
      })
    })

    it('are filtered on every kind of column', async () => {
      expect(await ids({ op: '=', field: 'row_id', value: one })).toStrictEqual([one])
      expect(await ids({ op: '=', field: 'parent', value: one })).toStrictEqual([two])
      expect(await ids({ op: '=', field: 'feeling', value: 'sad' })).toStrictEqual([three])
      expect(await ids({ op: 'like', field: 'feeling', pattern: 'HAP%' })).toStrictEqual([one])
      expect(await ids({ op: '=', field: 'amount', value: 12.5 })).toStrictEqual([one])
      expect(await ids({ op: '<', field: 'amount', value: 0 })).toStrictEqual([three])
      expect(await ids({ op: '>', field: 'size', value: 999_999 })).toStrictEqual([])
      expect(await ids({ op: '=', field: 'flag', value: true })).toStrictEqual([one])
      expect(await ids({ op: '=', field: 'day', value: '2024-02-29' })).toStrictEqual([one])
      expect(await ids({ op: 'like', field: 'moment', pattern: '2024-%00' })).toStrictEqual([one])
      expect(await ids({ op: 'like', field: 'clock', pattern: '13:45:0_' })).toStrictEqual([one])
      expect(await ids({ op: 'contains', field: 'tags', value: 'b' })).toStrictEqual([one])
      expect(await ids({ op: 'null', field: 'name' })).toStrictEqual([three])
      expect(await ids({ op: 'notNull', field: 'feeling' })).toStrictEqual([one, three])
      expect(await ids({ op: 'like', field: 'row_id', pattern: '1111%' })).toStrictEqual([one])
    })

    it('are sorted', async () => {
      for (const field of thing.readable.keys()) {
        const found = await find({ op: 'in', field: 'row_id', values: [one, two, three] }, [
          { field, descending: false },
          ...order,
        ])
        expect(found, field).toHaveLength(3)
      }
    })

    it('are written; new rows get an id', async () => {
      const made = await store.insert(
        thing,
        { name: 'new', feeling: 'ok', flag: true, day: '2025-01-01', data: [true], parent: three },
        select,
      )
      expect(made).toMatchObject({
        name: 'new',
        feeling: 'ok',
        flag: true,
        day: '2025-01-01',
        data: [true],
        parent: three,
      })
      expect(made.row_id).toMatch(/^[0-9a-f-]{36}$/)
      const changed = await store.update(thing, made.row_id, { ratio: 2.25, clock: '01:02:03', parent: '' }, { select })
      expect(changed).toMatchObject({ ratio: 2.25, clock: '01:02:03', parent: '', parent__name: '' })
      expect(await store.delete(thing, made.row_id)).toBe(true)
    })

    it('have no row of an id that their column cannot hold', async () => {
      expect(await store.get(thing, 'no uuid', { select })).toBeUndefined()
      expect(await store.get(thing, "' or 1=1", { select })).toBeUndefined()
    })

    it('refuse values that the column cannot hold', async () => {
      await expect(store.insert(thing, { feeling: 'angry' }, select)).rejects.toMatchObject({ code: 'value' })
      await expect(store.insert(thing, { size: 999_999 }, select)).rejects.toMatchObject({ code: 'value' })
      await expect(store.insert(thing, { code: 'too long' }, select)).rejects.toMatchObject({ code: 'value' })
      await expect(store.insert(thing, { row_id: one, name: 'twice' }, select)).rejects.toMatchObject({
        code: 'unique',
      })
      await expect(store.delete(thing, one)).rejects.toMatchObject({ code: 'reference' })
    })

    it('that are missing, or miss a column, say so', async () => {
      const other = (table: string) =>
        createModel([
          {
            name: 'Other',
            table,
            fields: { row_id: { type: 'id', values: 'string', column: 'id' }, nothing: { type: 'string' } },
            timestamps: false,
          },
        ]).object('Other')
      for (const object of [other('thing'), other('nowhere')]) {
        await expect(store.count(object, { op: '=', field: 'nothing', value: 'x' })).rejects.toMatchObject({
          code: 'schema',
        })
      }
    })
  })

  if (database.name === 'postgresql') {
    it('arrays are lists', async () => {
      await database.admin.rows(
        `create table lists (id int primary key, words text[], grid int[][], data jsonb[], days date[], feelings mood[])`,
      )
      const lists = createModel([
        {
          name: 'Lists',
          fields: {
            row_id: { type: 'id', column: 'id', readOnly: false, required: true },
            words: { type: 'object', array: true },
            grid: { type: 'object', array: true },
            data: { type: 'object', array: true },
            days: { type: 'object', array: true },
            feelings: { type: 'object', array: true },
          },
          timestamps: false,
        },
      ]).object('Lists')
      const values = {
        words: ['a', 'with "quotes", \\ and {braces}', '', 'NULL', null],
        grid: [
          [1, 2],
          [3, 4],
        ],
        data: [{ a: [1] }, true],
        days: ['2024-02-29'],
        feelings: ['sad', 'ok'],
      }
      expect(await store.insert(lists, { row_id: '1', ...values }, lists.selection)).toStrictEqual({
        row_id: '1',
        ...values,
      })
      expect(await database.admin.rows('select words[2] as word, grid[2][1] as number from lists')).toStrictEqual([
        { word: 'with "quotes", \\ and {braces}', number: 3 },
      ])
      const emptied = await store.update(lists, '1', { words: null, grid: [] }, { select: lists.selection })
      expect(emptied).toMatchObject({ words: null, grid: [] })
      expect(await store.count(lists, { op: 'null', field: 'words' })).toBe(1)
      await expect(store.update(lists, '1', { grid: ['x'] }, { select: lists.selection })).rejects.toMatchObject({
        code: 'value',
      })
    })
  }

  if (database.name === 'mysql') {
    it('days that are none are empty', async () => {
      const record = await store.get(thing, '44444444-4444-4444-8444-444444444444', { select })
      expect(record).toMatchObject({ name: 'zero', day: '', moment: '' })
    })
  }
})
