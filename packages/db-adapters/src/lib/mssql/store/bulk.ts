import type { ObjectModel } from '@steward/rest-core'
import type { BulkDialect } from '../../pool/bulk.js'
import { quote } from '../../sql/text.js'
import { identityInsert, type MssqlConnection } from './connection.js'
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
      // A connection that is lost rolls back by itself, and its error is not the one to report.
      await connection.run('if @@trancount > 0 rollback transaction').catch(() => undefined)
      throw error
    }
  },

  /** A session accepts given ids for one table only. */
  async beforeRows(connection, object, before) {
    if (before) await connection.run(identityInsert(nameOf(before), 'off'))
    await connection.run(identityInsert(nameOf(object), 'on'))
    ;(connection as MssqlConnection).loading = true
  },
}

function nameOf({ table }: ObjectModel): string {
  return table.split('.').map(quote).join('.')
}
