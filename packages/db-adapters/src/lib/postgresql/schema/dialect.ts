import type { SchemaConnection } from '../../schema/connection.js'
import { countValues } from '../../schema/count-losses.js'
import type { SchemaDialect } from '../../schema/dialect.js'
import { changesByStatements, endTransaction } from '../../schema/transaction.js'
import { readPostgresql, readSchemas } from './catalogue.js'
import { constraintColumns } from './constraint-columns.js'
import { keepsInserts, uniqueKeys } from './unique-keys.js'
import { isLost, statementsOf } from './statements.js'
import { findViewKeys } from './view-keys.js'
import { quote } from '../../sql/text.js'
import { postgresqlTypes } from './types.js'

/** Key of the advisory lock: `stewards` as a 64-bit number; locks of a database do not meet those of another. */
const lockKey = '8319385975070549107'

/** Waiting for another server's sync, and for each table that is being read or written. */
const lockTimeouts = { sync: '10min', table: '1min' }

const words = { begin: 'begin', commit: 'commit', rollback: 'rollback' }

export const postgresqlSchema = Object.freeze({
  name: 'postgresql' as const,
  transactionalDdl: true,
  types: postgresqlTypes,
  introspection: {
    decimalDigits: 38,
    foreignKeysFit: true,
    unlimited: 'unlimited',
    extended: new Set(['number', 'date', 'datetime', 'time'] as const),
    defaultIdsAreKnown: true,
    refine: findViewKeys,
    schemas: readSchemas,
  },
  quote,
  read: readPostgresql,
  constraintColumns,
  uniqueKeys,
  keepsInserts,

  async exclusively<T>(connection: SchemaConnection, work: () => Promise<T>): Promise<T> {
    await connection.run(words.begin)
    return endTransaction(connection, words, async () => {
      await connection.run(`set local lock_timeout = '${lockTimeouts.sync}'`)
      await connection.run('set local statement_timeout = 0')
      await connection.rows(`select pg_advisory_xact_lock(${lockKey})`)
      await connection.run(`set local lock_timeout = '${lockTimeouts.table}'`)
      return work()
    })
  },

  countLost(connection, place, { actual, wanted }) {
    return countValues(connection, place, this, isLost(quote(place.column), actual.type, wanted.family))
  },

  ...changesByStatements(statementsOf, words),
} satisfies SchemaDialect)
