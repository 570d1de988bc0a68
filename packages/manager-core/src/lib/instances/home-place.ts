import { existsSync, realpathSync, statSync } from 'node:fs'
import { ManagerError } from '../../errors.js'
import { accountAt } from '../accounts/account.js'
import { markAccount } from '../accounts/system-accounts.js'
import type { ManagerContext } from '../context.js'
import { homeAt } from '../domain/home.js'
import { createHomePlaceRow, readHomePlace, type HomePlace, type RecordedPlace } from '../store/home-place-rows.js'
import { machineId } from '../system/machine-id.js'
import { markDatabases } from './mark-databases.js'
import { listTrash } from './trash.js'

/**
 * Why the home is not the one that the registry belongs to, in a sentence; undefined: it is. What it names outside of
 * itself (databases, accounts, processes, jobs) may be the original's.
 */
export function whyNotAtHome({ home, registry }: ManagerContext): string | undefined {
  const recorded = createHomePlaceRow(registry).get()
  if (!recorded || isSame(recorded, placeOf(home.folder))) return undefined
  const where = recorded.path === realpathSync(home.folder) ? 'another disk or machine' : recorded.path
  return `This home was copied or moved from ${where}.`
}

/** @throws ManagerError ERR_STATE for a home that was copied or moved; the first call records where it is */
export function requireAtHome(context: ManagerContext): void {
  const why = whyNotAtHome(context)
  if (why !== undefined)
    throw new ManagerError(
      'ERR_STATE',
      `${why} Nothing is changed, because its databases, accounts and processes may belong to the original.`,
      { help: 'If the original is no longer used, make this the home.', command: 'doctor --adopt' },
    )
  const row = createHomePlaceRow(context.registry)
  if (!row.get()) recordPlace(context)
}

export interface Adoption {
  /** The home is where it was recorded: there was nothing to adopt. */
  readonly isKnown: boolean
  readonly path: string
  readonly accounts: number
  /** Databases that had no mark, or that of another home. */
  readonly databases: number
  /** What keeps the mark that it has, in a sentence each. The command can be repeated. */
  readonly failures: readonly string[]
}

/**
 * Makes a home that was copied or moved the one that owns what its registry names. May be repeated.
 *
 * @throws ManagerError ERR_STATE while the original is still there
 */
export async function adoptHome(context: ManagerContext): Promise<Adoption> {
  const { home, registry } = context
  const path = realpathSync(home.folder)
  const recorded = createHomePlaceRow(registry).get()
  if (recorded && isSame(recorded, placeOf(home.folder)))
    return { isKnown: true, path, accounts: 0, ...(await markDatabases(context)) }
  if (recorded && isThere(recorded))
    throw new ManagerError(
      'ERR_STATE',
      `The original home is still at ${recorded.path}. Both would change the same databases, accounts and processes.`,
      {
        help:
          'Remove or rename the original first. For a second, independent home use "manager init" and "manager ' +
          'recover", or "manager clone" for a second instance.',
      },
    )
  const folders = [
    ...registry.instances().map(({ id }) => home.instance(id).folder),
    ...(await listTrash(home)).map(({ folder }) => folder),
  ]
  const accounts = folders.flatMap((folder) => accountAt(folder)?.name ?? [])
  for (const name of accounts) await markAccount(name, home.folder)
  const databases = await markDatabases(context)
  // Last: until then the command can be repeated.
  recordPlace(context)
  return { isKnown: false, path, accounts: accounts.length, ...databases }
}

function recordPlace({ home, registry, clock }: ManagerContext): void {
  const row = createHomePlaceRow(registry)
  registry.transaction(() => row.set({ ...placeOf(home.folder), since: clock().toISOString() }))
}

function placeOf(folder: string): HomePlace {
  return {
    path: realpathSync(folder),
    inode: String(statSync(folder, { bigint: true }).ino),
    machine: machineId(),
  }
}

/** Not the device: its number changes when the machine starts again. */
function isSame(one: HomePlace, other: HomePlace): boolean {
  const isOtherMachine = one.machine !== '' && other.machine !== '' && one.machine !== other.machine
  return one.path === other.path && one.inode === other.inode && !isOtherMachine
}

/** Whether the home that this one was copied from is still where it was, on this machine. */
function isThere(recorded: RecordedPlace): boolean {
  try {
    if (!isSame(recorded, placeOf(recorded.path))) return false
    const { database } = homeAt(recorded.path)
    if (!existsSync(database)) return false
    const itsOwn = readHomePlace(database)
    return itsOwn !== undefined && isSame(itsOwn, recorded)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return false
    throw error
  }
}
