import { StoreError } from '@steward/rest-core/errors'
import type { SchemaConnection } from '../../schema/connection.js'
import { countValues } from '../../schema/count-losses.js'
import type { SchemaDialect } from '../../schema/dialect.js'
import { number } from '../../schema/rows.js'
import { changesByStatements, endTransaction } from '../../schema/transaction.js'
import { quote } from '../../sql/text.js'
import { readMssql, readSchemas } from './catalogue.js'
import { constraintColumns } from './constraint-columns.js'
import { keepsInserts, uniqueKeys } from './unique-keys.js'
import { isLost, statementsOf } from './statements.js'
import { mssqlTypes } from './types.js'

/** Waiting for another server's sync, and for each table that is being read or written, in ms. */
const lockTimeouts = { sync: 600_000, table: 60_000 }

const takeLock = `declare @taken int; exec @taken = sp_getapplock @Resource = N'steward-sync', @LockMode = N'Exclusive', @LockOwner = N'Transaction', @LockTimeout = ${lockTimeouts.sync}; select @taken as taken`

const words = {
  begin: 'begin transaction',
  commit: 'commit transaction',
  rollback: 'if @@trancount > 0 rollback transaction',
}

export const mssqlSchema = Object.freeze({
  name: 'mssql' as const,
  transactionalDdl: true,
  types: mssqlTypes,
  introspection: { decimalDigits: 38, foreignKeysFit: true, defaultIdsAreKnown: true, schemas: readSchemas },
  quote,
  firstRows: (count) => ` order by (select null) offset 0 rows fetch next ${count} rows only`,
  read: readMssql,
  constraintColumns,
  uniqueKeys,
  keepsInserts,

  async exclusively<T>(connection: SchemaConnection, work: () => Promise<T>): Promise<T> {
    await connection.run(`set transaction isolation level read committed; ${words.begin}`)
    return endTransaction(connection, words, async () => {
      const [row] = await connection.rows(takeLock)
      // -1: not in time; -3: to end a deadlock.
      if (!row || (number(row, 'taken') ?? -1) < 0) {
        const text = `Another server has been syncing this database for ${lockTimeouts.sync / 1_000} seconds.`
        throw new StoreError('busy', text)
      }
      await connection.run(`set lock_timeout ${lockTimeouts.table}`)
      return work()
    })
  },

  countLost(connection, place, { actual, wanted }) {
    return countValues(connection, place, this, isLost(quote(place.column), actual.type, wanted.family))
  },

  ...changesByStatements(statementsOf, words),
} satisfies SchemaDialect)
