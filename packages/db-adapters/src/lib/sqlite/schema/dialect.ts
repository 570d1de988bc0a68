import { setTimeout as sleep } from 'node:timers/promises'
import { StoreError } from '@steward/rest-core/errors'
import { stepOf, type Change, type ChangeOf } from '../../schema/changes.js'
import type { SchemaConnection } from '../../schema/connection.js'
import { countValues } from '../../schema/count-losses.js'
import type { SchemaDialect } from '../../schema/dialect.js'
import { number } from '../../schema/rows.js'
import { runChange } from '../../schema/run-change.js'
import { endTransaction } from '../../schema/transaction.js'
import { exactDigits } from '../store/dialect.js'
import { readSqlite } from './catalogue.js'
import { isLost } from './conversion.js'
import { countLostDecimals, needsDecimalConversion } from './decimal-conversion.js'
import { recordScript } from './record-script.js'
import { refineByValues } from './refine.js'
import { rebuild, type Rebuild } from './rebuild.js'
import { statementsOf, type DirectChange } from './statements.js'
import { quote } from '../../sql/text.js'
import { sqliteTypes } from './types.js'
import { wordStatements, type WordChange } from './word-index.js'

/** How long to wait for another process that writes. */
const patienceMs = 60_000

export const sqliteSchema = Object.freeze({
  name: 'sqlite' as const,
  transactionalDdl: true,
  types: sqliteTypes,
  introspection: {
    decimalDigits: exactDigits,
    foreignKeysFit: false,
    unlimited: 'double',
    extended: new Set(['number'] as const),
    defaultIdsAreKnown: true,
    refine: refineByValues,
  },
  quote,
  read: readSqlite,

  async exclusively<T>(connection: SchemaConnection, work: () => Promise<T>): Promise<T> {
    const [setting] = await connection.rows('select foreign_keys from pragma_foreign_keys')
    // Has no effect within a transaction.
    await connection.run('pragma foreign_keys = off')
    try {
      await begin(connection)
      return await endTransaction(connection, { commit: 'commit', rollback: 'rollback' }, work)
    } finally {
      if (setting && number(setting, 'foreign_keys') === 1) await connection.run('pragma foreign_keys = on')
    }
  },

  countLost(connection, place, change) {
    if (needsDecimalConversion(change)) return countLostDecimals(connection, place, change)
    return countValues(connection, place, this, isLost(place.column, change.wanted.family))
  },

  apply: (connection, changes) => carryOut(connection, changes, () => {}),

  async script(connection, changes) {
    const unwritable = changes.find((change) => change.kind === 'changeColumn' && needsDecimalConversion(change))
    if (unwritable) {
      const { description } = stepOf(unwritable)
      const text = `Cannot ${description} by SQL: the values get another form, which only a sync can write.`
      throw new StoreError('schema', text)
    }
    const statements = await recordScript(connection, (recording) =>
      carryOut(recording, changes, (current) => recording.belongsTo(current)),
    )
    return [
      // Has no effect within a transaction.
      { sql: 'pragma foreign_keys = off', changes: [] },
      { sql: 'begin immediate', changes: [] },
      ...statements,
      { sql: 'commit', changes: [] },
      { sql: 'pragma foreign_keys = on', changes: [] },
    ]
  },
} satisfies SchemaDialect)

/** @param starts is called with the changes that are next. */
async function carryOut(
  connection: SchemaConnection,
  changes: readonly Change[],
  starts: (changes: readonly Change[]) => void,
): Promise<void> {
  const { direct, rebuilds } = sortOut(changes)
  // A new table takes its indexes along: those that go, go before it; those that come, come after it.
  const isLate = ({ kind }: DirectChange): boolean => ['addIndex', 'dropColumn', 'createView'].includes(kind)
  await runWords('dropWordIndex')
  for (const change of direct.filter((each) => !isLate(each))) await run(change)
  for (const [table, [first, ...others]] of rebuilds) {
    starts([first, ...others])
    await runChange(first, true, () => rebuild(connection, table, [first, ...others]))
  }
  await runWords('addWordIndex')
  for (const change of direct.filter(isLate)) await run(change)

  async function runWords(kind: WordChange['kind']): Promise<void> {
    for (const change of changes) {
      if (change.kind !== kind) continue
      starts([change])
      await runChange(change, true, async () => {
        for (const sql of wordStatements(change)) await connection.run(sql)
      })
    }
  }

  function run(change: DirectChange): Promise<void> {
    const keys = keysOf(change, changes)
    starts([change, ...keys])
    return runChange(change, true, async () => {
      for (const sql of statementsOf(change, keys)) await connection.run(sql)
    })
  }
}

async function begin(connection: SchemaConnection): Promise<void> {
  const deadline = Date.now() + patienceMs
  const [waiting = {}] = await connection.rows('select timeout from pragma_busy_timeout')
  // SQLite's own waiting would stop this process, and perhaps a sync of its own that it waits for.
  await connection.run('pragma busy_timeout = 0')
  try {
    for (;;) {
      try {
        return await connection.run('begin immediate')
      } catch (error) {
        if (!(StoreError.is(error) && error.code === 'busy') || Date.now() > deadline) throw error
        await sleep(20)
      }
    }
  } finally {
    await connection.run(`pragma busy_timeout = ${number(waiting, 'timeout') ?? 0}`)
  }
}

interface Sorted {
  readonly direct: readonly DirectChange[]
  /** One new table for all changes that need it. */
  readonly rebuilds: ReadonlyMap<string, [Rebuild, ...Rebuild[]]>
}

function sortOut(changes: readonly Change[]): Sorted {
  const direct: DirectChange[] = []
  const rebuilds = new Map<string, [Rebuild, ...Rebuild[]]>()
  const included = new Set(changes.flatMap((change) => keysOf(change, changes)))
  for (const change of changes) {
    if (change.kind === 'changeColumn' || change.kind === 'addForeignKey' || change.kind === 'dropForeignKey') {
      if (change.kind === 'addForeignKey' && included.has(change)) continue
      const others = rebuilds.get(change.table)
      if (others) others.push(change)
      else rebuilds.set(change.table, [change])
    } else if (change.kind !== 'addWordIndex' && change.kind !== 'dropWordIndex') direct.push(change)
  }
  return { direct, rebuilds }
}

/** Foreign keys that come with a new table or a new column. */
function keysOf(change: Change, changes: readonly Change[]): ChangeOf<'addForeignKey'>[] {
  if (change.kind !== 'createTable' && change.kind !== 'addColumn') return []
  return changes
    .filter((each) => each.kind === 'addForeignKey')
    .filter(
      ({ table, columns }) =>
        table === change.table &&
        (change.kind === 'createTable' || (columns.length === 1 && columns[0] === change.column.name)),
    )
}
