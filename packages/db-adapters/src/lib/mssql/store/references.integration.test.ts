import { createModel } from '@steward/rest-core'
import { expect, it } from 'vitest'
import { freshDatabase, needs } from '../../../../../../tests/servers/index.js'
import { openMssql } from '../../../../../../tests/servers/mssql.js'
import { createMssqlStore } from '../../../mssql.js'

const model = createModel([
  {
    name: 'Part',
    timestamps: false,
    fields: { name: { type: 'string' }, part_of: { type: 'reference', object: 'Part', onDelete: 'cascade' } },
  },
])
const part = model.object('Part')

needs('mssql', (url) => {
  it('delete() takes along rows of the same table, for which sync() makes no rule of the database', async () => {
    const database = await freshDatabase(url)
    const store = createMssqlStore({ connection: database.url })
    try {
      await store.sync(model)
      const client = await openMssql(database.url)
      const rules = await client.rows('select delete_referential_action_desc as [rule] from sys.foreign_keys')
      await client.close()
      expect(rules).toEqual([{ rule: 'NO_ACTION' }])
      expect(await store.plan(model)).toMatchObject({ steps: [] })

      const insert = (name: string, above?: string) =>
        store.insert(part, { name, ...(above === undefined ? {} : { part_of: above }) }, part.select(['row_id']))
      const [car, other] = [await insert('car'), await insert('boat')]
      const door = await insert('door', car.row_id)
      await insert('handle', door.row_id)
      expect(await store.delete(part, car.row_id)).toBe(true)
      expect(await store.count(part)).toBe(1)
      expect(await store.get(part, other.row_id, { select: part.select(['name']) })).toMatchObject({ name: 'boat' })
    } finally {
      await store.close()
      await database.drop()
    }
  })
})
