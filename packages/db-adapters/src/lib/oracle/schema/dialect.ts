import { StoreError } from '@steward/rest-core/errors'
import type { Change, ChangeOf } from '../../schema/changes.js'
import type { SchemaConnection } from '../../schema/connection.js'
import { countValues } from '../../schema/count-losses.js'
import type { SchemaDialect } from '../../schema/dialect.js'
import { oldNames } from '../../schema/old-names.js'
import { runChange } from '../../schema/run-change.js'
import { quote } from '../../sql/text.js'
import { readOracle, readSchemas, refine } from './catalogue.js'
import { constraintColumns } from './constraint-columns.js'
import { keepsInserts, uniqueKeys } from './unique-keys.js'
import { isLost, isReplaced, statementsOf, uniqueIndex } from './statements.js'
import { oracleTypes } from './types.js'

/** Its one row is locked by the server that syncs. Locks by name (DBMS_LOCK) need a right that applications do not have. */
const lockTable = 'stw_sync'

/** Waiting for another server's sync. */
const lockSeconds = 600

interface OtherConnection extends SchemaConnection {
  close(): Promise<void>
}

/** @param open opens another connection: DDL commits, and would give up a lock of its own connection */
export function createOracleSchema(open: () => Promise<OtherConnection>): SchemaDialect {
  return Object.freeze({
    name: 'oracle' as const,
    transactionalDdl: false,
    types: oracleTypes,
    introspection: { decimalDigits: 38, foreignKeysFit: true, defaultIdsAreKnown: true, refine, schemas: readSchemas },
    quote,
    firstRows: (count) => ` fetch first ${count} rows only`,
    read: readOracle,
    constraintColumns,
    uniqueKeys,
    keepsInserts,

    async exclusively<T>(_: SchemaConnection, work: () => Promise<T>): Promise<T> {
      const other = await open()
      try {
        await makeLockTable(other)
        await other.run('begin')
        await other.rows(`select ${quote('id')} as id from ${quote(lockTable)} for update wait ${lockSeconds}`)
        return await work()
      } finally {
        await other.close()
      }
    },

    countLost(connection, place, { actual, wanted }) {
      return countValues(connection, place, { quote }, isLost(quote(place.column), actual.type, wanted.family))
    },

    async apply(connection, changes) {
      for (const [done, { change, statements }] of (await stepsOf(connection, changes)).entries()) {
        await runChange(change, done === 0, async () => {
          for (const statement of statements) await connection.run(statement)
        })
      }
    },

    async script(connection, changes) {
      const steps = await stepsOf(connection, changes)
      return steps.flatMap(({ change, statements }) => statements.map((each) => ({ sql: each, changes: [change] })))
    },
  } satisfies SchemaDialect)
}

async function makeLockTable(connection: SchemaConnection): Promise<void> {
  const [there] = await connection.rows('select 1 as found from user_tables where table_name = :1', [lockTable])
  if (there) return
  // Another server may be as far.
  const lenient = async (statement: string): Promise<void> => {
    try {
      await connection.run(statement)
    } catch (error) {
      if (!StoreError.is(error) || error.retry) throw error
      const [made] = await connection.rows('select 1 as found from user_tables where table_name = :1', [lockTable])
      if (!made) throw error
    }
  }
  await lenient(`create table ${quote(lockTable)} (${quote('id')} number(2) primary key)`)
  await lenient(`insert into ${quote(lockTable)} (${quote('id')}) values (1)`)
}

interface Step {
  readonly change: Change
  readonly statements: readonly string[]
}

async function stepsOf(connection: SchemaConnection, changes: readonly Change[]): Promise<Step[]> {
  const steps: Step[] = []
  for (const change of changes) {
    const again =
      change.kind === 'changeColumn' && isReplaced(change) ? await uniquesOf(connection, changes, change) : []
    steps.push({ change, statements: [...statementsOf(change), ...again] })
  }
  return steps
}

/** Unique indexes that go with a column that is replaced are made again; the plan keeps them. */
async function uniquesOf(
  connection: SchemaConnection,
  changes: readonly Change[],
  { table, column }: ChangeOf<'changeColumn'>,
): Promise<string[]> {
  const names = oldNames(changes)
  const old = { table: names.table(table), column: names.column(table, column) }
  const { tables } = await readOracle(connection)
  const indexes = tables.find(({ name }) => name === old.table)?.indexes ?? []
  const dropped = new Set(changes.flatMap((change) => (change.kind === 'dropIndex' ? [change.name] : [])))
  return indexes
    .filter(({ name, unique, columns }) => unique && !dropped.has(name) && columns.includes(old.column))
    .map(({ name, columns }) =>
      uniqueIndex({ table, name, columns: columns.map((each) => (each === old.column ? column : each)) }),
    )
}
