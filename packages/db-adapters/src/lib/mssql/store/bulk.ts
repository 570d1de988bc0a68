import type { ObjectModel } from '@steward/rest-core'
import type { BulkDialect } from '../../pool/bulk.js'
import type { SchemaConnection } from '../../schema/connection.js'
import { quote } from '../../sql/text.js'
import { foreignKeyStatements } from '../schema/catalogue.js'

/** Foreign keys are taken away and made again, which checks all rows at once. */
export const mssqlBulk: BulkDialect = {
  beginSnapshot: ['set transaction isolation level snapshot', 'begin transaction'],

  async load(connection, model, work) {
    await connection.run('set transaction isolation level read committed; begin transaction')
    try {
      const tables = new Set([...model.objects.values()].map(({ table }) => table))
      const { drop, add } = await foreignKeyStatements(connection, tables)
      for (const sql of drop) await connection.run(sql)
      const result = await work()
      for (const sql of add) await connection.run(sql)
      await connection.run('commit transaction')
      return result
    } catch (error) {
      // A connection that is lost rolls back by itself, and its error is not the one to tell.
      await connection.run('if @@trancount > 0 rollback transaction').catch(() => undefined)
      throw error
    }
  },

  /** A session lets ids of one table be given at a time. */
  async beforeRows(connection, object, before) {
    if (before && (await hasIdentity(connection, before))) await connection.run(identityInsert(before, 'off'))
    if (await hasIdentity(connection, object)) await connection.run(identityInsert(object, 'on'))
  },
}

async function hasIdentity(connection: SchemaConnection, { table }: ObjectModel): Promise<boolean> {
  const found = await connection.rows(
    'select name from sys.columns where object_id = object_id(@p1) and is_identity = 1',
    [table.split('.').map(quote).join('.')],
  )
  return found.length > 0
}

function identityInsert({ table }: ObjectModel, state: 'on' | 'off'): string {
  return `set identity_insert ${table.split('.').map(quote).join('.')} ${state}`
}
