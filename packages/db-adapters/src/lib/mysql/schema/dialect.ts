import { StoreError } from '@steward/rest-core/errors'
import type { Change } from '../../schema/changes.js'
import type { SchemaConnection } from '../../schema/connection.js'
import { countValues } from '../../schema/count-losses.js'
import type { SchemaDialect } from '../../schema/dialect.js'
import { oldNames } from '../../schema/old-names.js'
import { number, text } from '../../schema/rows.js'
import { runChange } from '../../schema/run-change.js'
import { readMysql } from './catalogue.js'
import { refineBooleans } from './refine.js'
import { constraintColumns } from './constraint-columns.js'
import { keepsInserts, uniqueKeys } from './unique-keys.js'
import { declarationIn, isLost, statementsOf, type NewIndex } from './statements.js'
import { quote } from '../quote.js'
import { textSettings } from '../store/config.js'
import { mysqlTypes } from './types.js'

/** Locks are known in the whole server; the hash keeps the name within its 64 characters. */
const lockName = `concat('steward-sync-', md5(database()))`

/** Waiting for another server's sync, and for each table that is being read or written. */
const lockSeconds = { sync: 600, table: 60 }

export const mysqlSchema = Object.freeze({
  name: 'mysql' as const,
  transactionalDdl: false,
  types: mysqlTypes.mysql,
  introspection: {
    decimalDigits: 65,
    foreignKeysFit: true,
    extended: new Set(['date', 'datetime', 'time'] as const),
    defaultIdsAreKnown: false,
    refine: refineBooleans,
  },
  quote,
  read: readMysql,
  constraintColumns,
  uniqueKeys,
  keepsInserts,

  async exclusively<T>(connection: SchemaConnection, work: () => Promise<T>): Promise<T> {
    const [lock] = await connection.rows(`select get_lock(${lockName}, ${lockSeconds.sync}) as locked`)
    if (!lock || number(lock, 'locked') !== 1) {
      throw new StoreError('busy', `Another server has been syncing this database for ${lockSeconds.sync} seconds.`)
    }
    try {
      await connection.run(`set session lock_wait_timeout = ${lockSeconds.table}`)
      return await work()
    } finally {
      // Both end with a lost connection, whose error is the one to report.
      await connection.run('set session lock_wait_timeout = default').catch(() => undefined)
      await connection.rows(`select release_lock(${lockName})`).catch(() => undefined)
    }
  },

  countLost(connection, place, { wanted }) {
    return countValues(connection, place, this, isLost(quote(place.column), wanted.family))
  },

  async apply(connection: SchemaConnection, changes: readonly Change[]) {
    const steps = await stepsOf(connection, changes)
    for (const [done, { change, statements }] of steps.entries()) {
      await runChange(change, done === 0, async () => {
        for (const sql of statements) await connection.run(sql)
      })
    }
  },

  async script(connection, changes) {
    const steps = await stepsOf(connection, changes)
    const statements = steps.flatMap(({ change, statements }) =>
      statements.map((sql) => ({ sql, changes: [change, ...indexesOf(change, changes)] })),
    )
    const settings = [textSettings.names, `set ${textSettings.mode}`].map((sql) => ({ sql, changes: [] }))
    return [...settings, ...statements]
  },
} satisfies SchemaDialect)

/** Each change with its statements; those that come with another one are left out. */
async function stepsOf(
  connection: SchemaConnection,
  changes: readonly Change[],
): Promise<{ readonly change: Change; readonly statements: readonly string[] }[]> {
  const inlined = new Set<Change>(changes.flatMap((change) => indexesOf(change, changes)))
  const names = oldNames(changes)
  const steps: { change: Change; statements: readonly string[] }[] = []
  for (const change of changes) {
    if (inlined.has(change)) continue
    // Nothing is renamed yet.
    const readColumn = async (column: string): Promise<string> => {
      const [row = {}] = await connection.rows(`show create table ${quote(names.table(change.table))}`)
      return declarationIn(text(row, 'Create Table'), names.column(change.table, column))
    }
    steps.push({ change, statements: await statementsOf(change, indexesOf(change, changes), readColumn) })
  }
  return steps
}

/** Indexes that come with a new table: each statement of DDL waits for the disk. */
function indexesOf(change: Change, changes: readonly Change[]): NewIndex[] {
  if (change.kind !== 'createTable') return []
  return changes
    .filter((each) => each.kind === 'addIndex' || each.kind === 'addWordIndex')
    .filter(({ table }) => table === change.table)
}
