import { ManagerError } from '../../errors.js'
import type { Step } from '../context.js'
import type { Instance } from '../domain/instance.js'
import { stagedAccount } from '../instances/database-step.js'
import type { BackedUpDatabase, Manifest } from './backup.js'
import { needManifest } from './manifest.js'
import { rememberingDamage } from './remembering-damage.js'

/** How many differences a message names. */
const shown = 5

export interface CompareRowsOptions {
  /** The instance that is laid out. */
  readonly row: Pick<Instance, 'database'>
  /** Folder of the backup: absolute. */
  readonly backup: string
}

/** Before its first start, which may change something. @throws ManagerError ERR_BACKUP naming tables. */
export function compareRowsStep({ row: { database }, backup }: CompareRowsOptions): Step {
  return {
    id: 'rows',
    title: 'Compare the row counts of its tables',
    async do(run) {
      const manifest = await needManifest(backup)
      const { databases, clock } = run.context
      const { rows } = await databases.server(database).statistics(await stagedAccount(run))
      await rememberingDamage({ folder: backup, clock }, () => assertSame(rows, manifest))
    },
    check: () => 'not-done',
  }
}

async function assertSame(found: Readonly<Record<string, number>>, { id, database }: Manifest): Promise<void> {
  const differences = differencesOf(found, database)
  if (differences.length === 0) return
  const more = differences.length > shown ? `, and ${differences.length - shown} more` : ''
  throw new ManagerError(
    'ERR_BACKUP',
    `The restored database differs from the backup: ${differences.slice(0, shown).join('; ')}${more}.`,
    { help: `Do not rely on the backup ${id}; make a new one.` },
  )
}

/** @returns what is wrong, a table each: `note has 1 row, not 2`. See `BackedUpDatabase.rows`. */
export function differencesOf(
  found: Readonly<Record<string, number>>,
  { rows, rowsAfter = {} }: Pick<BackedUpDatabase, 'rows' | 'rowsAfter'>,
): readonly string[] {
  const tables = new Set([found, rows, rowsAfter].flatMap((each) => Object.keys(each)))
  return [...tables].toSorted().flatMap((table) => {
    const [is, before] = [found[table], rows[table]]
    const after = Object.hasOwn(rowsAfter, table) ? (rowsAfter[table] ?? undefined) : before
    if (is === undefined) return before === undefined || after === undefined ? [] : [`${table} is missing`]
    const least = Math.min(before ?? 0, after ?? 0)
    const most = Math.max(before ?? 0, after ?? 0)
    if (before === undefined && after === undefined) return [`${table} is not in the backup`]
    if (is >= least && is <= most) return []
    const expected = least === most ? String(most) : `${least} to ${most}`
    return [`${table} has ${is} ${is === 1 ? 'row' : 'rows'}, not ${expected}`]
  })
}
