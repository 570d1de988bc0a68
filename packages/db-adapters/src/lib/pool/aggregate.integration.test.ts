import { createModel, type AggregateQuery, type DatePart, type ObjectStore } from '@steward/rest-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { onEachServer } from '../../../test/server-stores.js'

/** A table as others make them: moments with a time zone or fractions, floating numbers, empty texts. */
const tables = {
  postgresql: `
    create table event (id bigint primary key, at timestamptz(3), ratio real, name text);
    insert into event values
      (1, '2024-03-01 00:30:00.5+02', 1.1, ''), (2, '2025-01-01 01:59:59+02', 2.2, null), (3, null, null, 'a')`,
  mysql: `
    create table event (id bigint primary key, at timestamp(3) null, ratio float, name varchar(10));
    set time_zone = '+02:00';
    insert into event values
      (1, '2024-03-01 00:30:00.5', 1.1, ''), (2, '2025-01-01 01:59:59', 2.2, null), (3, null, null, 'a')`,
  mssql: `
    create table event (id bigint primary key, at datetimeoffset(3), ratio real, name nvarchar(10));
    insert into event values
      (1, '2024-03-01 00:30:00.5+02:00', 1.1, ''), (2, '2025-01-01 01:59:59+02:00', 2.2, null), (3, null, null, 'a')`,
}

const event = createModel([
  {
    name: 'Event',
    timestamps: false,
    fields: {
      row_id: { type: 'id', column: 'id' },
      at: { type: 'datetime' },
      ratio: { type: 'decimal', precision: 15, scale: 6 },
      name: { type: 'string', length: 10 },
    },
  },
]).object('Event')

onEachServer((database) => {
  let store: ObjectStore
  beforeAll(async () => {
    store = database.store()
    for (const statement of tables[database.name].split(';\n')) await database.admin.rows(statement)
  })

  async function rows(query: AggregateQuery) {
    const groups = await store.aggregate(event, query)
    return groups.map((row) => [...row.groups, ...row.values]).toSorted()
  }

  describe('aggregate() on a table that others made', () => {
    it.each<[DatePart, string[]]>([
      ['day', ['', '2024-02-29', '2024-12-31']],
      ['month', ['', '2024-02', '2024-12']],
      ['quarter', ['', '2024-Q1', '2024-Q4']],
      ['year', ['', '2024']],
    ])('groups by the %s in UTC', async (by, groups) => {
      expect((await rows({ groups: [{ field: 'at', by }], values: [] })).flat()).toStrictEqual(groups)
    })

    it('takes empty texts for no values, and adds up floating numbers', async () => {
      const values = [
        { function: 'count', field: 'name' },
        { function: 'sum', field: 'ratio' },
        { function: 'max', field: 'ratio' },
      ] as const
      const [[count, sum, max] = []] = await rows({ groups: [], values })
      expect([count, max]).toStrictEqual([1, 2.2])
      expect(Number(sum)).toBeCloseTo(3.3, 5)
    })
  })
})
