import { existsSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { makeFolder, moveTo } from '../accounts/places.js'
import { accountAt } from '../accounts/account.js'
import { removeTree } from '../accounts/remove-tree.js'
import { stampOf } from '../backup/new-backup.js'
import type { ManagerContext } from '../context.js'
import { believedTime } from '../history/believed-time.js'
import type { Instance } from '../domain/instance.js'
import { randomId } from '../domain/names.js'
import { folderSize } from '../files/folder-size.js'
import { writePrivateFile } from '../files/write-private-file.js'
import type { InstanceVersion } from '../instances/version-step.js'
import { pinnedServer } from '../servers/application-server.js'

/** What an upgrade keeps in the home of its instance. It goes into the trash, comes back and is purged with that. */
export interface KeptPoint {
  /** Absolute. */
  readonly folder: string
  readonly from: InstanceVersion
  readonly to: InstanceVersion
}

/** What stands in its folder. */
type PointRecord = Omit<KeptPoint, 'folder'> & {
  readonly format: 1
  readonly created: string
  /** The application server that it stays with. Absent: none. */
  readonly server?: string
}

/** An upgrade that can be rolled back. */
export interface RestorePoint extends KeptPoint {
  /** Name of its folder. */
  readonly id: string
  /** ISO 8601 */
  readonly created: string
  readonly expires: string
  /** It has a snapshot of the data, too; else only the application was changed. */
  readonly hasData: boolean
  /** Id of the application server that it needs; undefined: the manager's. */
  readonly server: string | undefined
}

const prefix = 'restore-'
const recordName = 'point.json'
const dayMs = 86_400_000

/** A snapshot of application and data, as a backup. */
export const snapshotOf = (point: string) => join(point, 'backup')

/** The application, when the data were not touched. */
export const applicationOf = (point: string) => join(point, 'app')

/** @param home of the instance */
export function newPointFolder(home: string, { version }: InstanceVersion, now: Date): string {
  return join(home, `${prefix}${stampOf(now)}-${version}-${randomId()}`)
}

/** Makes a restore point of a snapshot, or of the application that goes; of neither when none are kept. May be repeated. */
export async function keepPoint(
  { settings, clock }: Pick<ManagerContext, 'settings' | 'clock'>,
  { folder, from, to }: KeptPoint,
  going: string,
): Promise<void> {
  const hasData = existsSync(snapshotOf(folder))
  if (settings.global.restorePointDays === 0) return removeTree(folder, accountAt(dirname(folder)))
  await makeFolder(folder, 0o700)
  if (!hasData && existsSync(going)) await moveTo(going, applicationOf(folder))
  if (existsSync(join(folder, recordName))) return
  const server = pinnedServer(hasData ? going : applicationOf(folder))
  const record = { format: 1, created: clock().toISOString(), from, to, ...(server !== undefined && { server }) }
  await writePrivateFile(join(folder, recordName), `${JSON.stringify(record, undefined, 2)}\n`)
}

/** Newest first; without those that have expired. */
export async function listPoints(
  context: Pick<ManagerContext, 'settings' | 'clock'>,
  home: string,
): Promise<readonly RestorePoint[]> {
  const now = context.clock().toISOString()
  return (await readPoints(context, home)).filter(({ expires }) => expires > now)
}

/** The newest one that led to what the instance has now; undefined: it cannot be rolled back. */
export async function pointOf(
  context: Pick<ManagerContext, 'settings' | 'clock' | 'home'>,
  { id, revision }: Pick<Instance, 'id' | 'revision'>,
): Promise<RestorePoint | undefined> {
  const points = await listPoints(context, context.home.instance(id).folder)
  return points.find(({ to }) => to.revision === revision)
}

/** Bytes of all restore points of an instance, also of those that have expired. @param before only those made before */
export async function sizeOfPoints(home: string, before?: Date): Promise<number> {
  const sizes = await Promise.all((await foldersIn(home, before)).map(folderSize))
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** The lock of the instance is held. */
export async function removeExpiredPoints(
  context: Pick<ManagerContext, 'settings' | 'clock' | 'uptime' | 'registry'>,
  home: string,
): Promise<void> {
  const now = believedTime(context).toISOString()
  for (const { folder, expires } of await readPoints(context, home)) if (expires <= now) await removePoint(folder)
}

/** For all instances on which no operation works. */
export async function removeAllExpiredPoints(
  context: Pick<ManagerContext, 'settings' | 'clock' | 'uptime' | 'home' | 'registry' | 'locks'>,
): Promise<void> {
  for (const { id } of context.registry.instances()) {
    const lock = context.locks.tryAcquire(
      [`instance:${id}`],
      `removal of expired restore points, process ${process.pid}`,
    )
    try {
      if (lock) await removeExpiredPoints(context, context.home.instance(id).folder)
    } finally {
      lock?.release()
    }
  }
}

/** The lock of the instance is held. @param before only those made before. Default: all. @returns how many bytes they had */
export async function removeAllPoints(home: string, before?: Date): Promise<number> {
  const bytes = await sizeOfPoints(home, before)
  for (const folder of await foldersIn(home, before)) await removePoint(folder)
  return bytes
}

/** From the removal of its record on it is none. */
async function removePoint(folder: string): Promise<void> {
  await rm(join(folder, recordName), { force: true })
  await removeTree(folder, accountAt(dirname(folder)))
}

/** Also those that have expired. */
export async function readPoints(
  { settings }: Pick<ManagerContext, 'settings'>,
  home: string,
): Promise<readonly RestorePoint[]> {
  const days = settings.global.restorePointDays
  const points = await Promise.all((await foldersIn(home)).map((folder) => readPoint(folder, days)))
  return points.filter((point) => point !== undefined).toSorted((a, b) => b.created.localeCompare(a.created))
}

/** What an upgrade was killed over, and what was changed by hand, is none. */
async function readPoint(folder: string, days: number): Promise<RestorePoint | undefined> {
  try {
    const text = await readFile(join(folder, recordName), 'utf8')
    const { format, created, from, to, server } = JSON.parse(text) as PointRecord
    if (format !== 1) return undefined
    const expires = new Date(Date.parse(created) + days * dayMs).toISOString()
    const hasData = existsSync(snapshotOf(folder))
    return { id: basename(folder), folder, created, expires, from, to, hasData, server }
  } catch {
    return undefined
  }
}

/** @param before only those whose names have an earlier time */
async function foldersIn(home: string, before?: Date): Promise<readonly string[]> {
  const names = await readdir(home).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const end = before && `${prefix}${stampOf(before)}`
  return names
    .filter((name) => name.startsWith(prefix) && (end === undefined || name < end))
    .map((name) => join(home, name))
}
