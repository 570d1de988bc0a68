import type { BackupTarget, CallOptions } from '@steward/backup-targets'
import pLimit from 'p-limit'
import { ManagerError } from '../../../errors.js'
import type { ManagerContext } from '../../context.js'
import type { Manifest } from '../backup.js'
import { chooseBackup, isMeant, lastPart, nameIn, newestFirst } from '../choose-backup.js'
import { manifestName, parseManifest } from '../manifest.js'
import { isFolderOf, ownerOf, ownerOfFolder, owns, type BackupOwner } from '../owner.js'
import { objectsAt, type ObjectSet } from './objects-at.js'
import { readSmall } from './read-object.js'
import { copyStatus, damagedCopy, remoteKey, type RemoteBackup } from './remote-backup.js'

export interface RemoteList {
  /** Complete ones, newest first. */
  readonly backups: readonly RemoteBackup[]
  /** Those with a manifest that cannot be used, or without all of their files. */
  readonly damaged: readonly { readonly key: string; readonly error: ManagerError }[]
}

type Context = Pick<ManagerContext, 'targets' | 'settings' | 'registry'>

export interface ListCopiesOptions extends CallOptions {
  /** See `BackupFilter`. Default: of all. */
  readonly name?: string | undefined
  readonly savedAs?: string | undefined
  /** Only these keys are looked at closer. Default: all. */
  readonly isWanted?: (key: string) => boolean
}

/**
 * The backups at a target, known by their manifests alone, so that nothing of this machine is needed. What was never
 * completed, and what others put there, is not in it.
 *
 * @throws ManagerError ERR_NOT_FOUND (no such target), ERR_TARGET
 */
export function listCopies(context: Context, target: string, options: ListCopiesOptions = {}): Promise<RemoteList> {
  const { isWanted = () => true, name, savedAs, signal } = options
  const owner =
    savedAs !== undefined ? ownerOfFolder(savedAs) : name === undefined ? undefined : ownerOf(context.registry, name)
  return context.targets.use(target, async (opened) => {
    const sets = (await setsOf(opened, owner, { signal })).filter(
      ({ key, objects }) => objects.has(manifestName) && isWanted(key),
    )
    const few = pLimit(4)
    const looked = await few.map(sets, (set) => look(context, opened, target, set, { signal }))
    return {
      backups: newestFirst(
        looked.filter((one): one is RemoteBackup => 'manifest' in one && (!owner || owns(owner, one.manifest))),
      ),
      damaged: looked.filter((one) => 'error' in one),
    }
  })
}

/**
 * A backup at a target: `latest`, or the start or the end of its last part.
 *
 * @throws ManagerError ERR_NOT_FOUND, ERR_USAGE (several), ERR_BACKUP (it is damaged), ERR_TARGET
 */
export async function findCopy(
  context: Context,
  name: string,
  { target, backup }: { readonly target: string; readonly backup: string },
  options: CallOptions = {},
): Promise<RemoteBackup> {
  const [folder, wanted] = backup.includes('/') ? (backup.split('/', 2) as [string, string]) : ['', backup]
  const owner = folder === '' ? name : folder
  const isWanted = (key: string) => wanted === 'latest' || isMeant(key, wanted)
  const { backups, damaged } = await listCopies(context, target, {
    ...options,
    ...(folder === '' ? { name } : { savedAs: folder }),
    isWanted,
  })
  return chooseBackup({
    backups,
    damaged,
    owner,
    wanted,
    where: ` at "${target}"`,
    first: `backups list ${owner} --at ${target}`,
    list: `backups list ${owner} --at ${target}`,
  })
}

async function setsOf(
  target: BackupTarget,
  owner: BackupOwner | undefined,
  { signal }: CallOptions,
): Promise<readonly ObjectSet[]> {
  if (!owner) return objectsAt(target, { prefix: '', signal })
  // Others are no names of instances, and may not be keys.
  const names = owner.names.filter((name) => /^[A-Za-z0-9]{1,40}$/.test(name))
  if (names.length === 0) return []
  const sets: ObjectSet[] = []
  for (const name of names) sets.push(...(await objectsAt(target, { prefix: `${name}/`, signal })))
  if (sets.length > 0) return sets
  return (await objectsAt(target, { prefix: '', signal })).filter(({ key }) => isFolderOf(owner, nameIn(key)))
}

async function look(
  context: Context,
  opened: BackupTarget,
  target: string,
  { key, objects }: ObjectSet,
  options: CallOptions,
): Promise<RemoteBackup | { readonly key: string; readonly error: ManagerError }> {
  try {
    const manifest = await readCopiedManifest(opened, target, key, options)
    for (const { name, size } of manifest.files) await assertSize(opened, target, key, { name, size }, objects, options)
    const status = await copyStatus(context, key, target)
    return {
      target,
      key,
      manifest,
      stored: objects.get(manifestName)?.modified.toISOString() ?? '',
      verified: status?.verified ?? '',
      damage: status?.damage,
    }
  } catch (error) {
    if (ManagerError.is(error) && error.code === 'ERR_BACKUP') return { key, error }
    throw error
  }
}

async function readCopiedManifest(
  opened: BackupTarget,
  target: string,
  key: string,
  options: CallOptions,
): Promise<Manifest> {
  const bytes = await readSmall(opened, remoteKey(key), options)
  if (bytes === undefined) throw damagedCopy(target, key, manifestName, 'is missing')
  const manifest = parseManifest(bytes, `${target}:${remoteKey(key)}`)
  if (manifest.id === lastPart(key)) return manifest
  throw damagedCopy(target, key, manifestName, 'belongs to another backup')
}

/** Lists of some stores show other sizes of objects in parts, so that a size that is wrong is looked up. */
async function assertSize(
  opened: BackupTarget,
  target: string,
  key: string,
  { name, size }: { readonly name: string; readonly size: number },
  objects: ObjectSet['objects'],
  options: CallOptions,
): Promise<void> {
  if (objects.get(name)?.size === size) return
  const stored = await opened.stat(remoteKey(key, name), options)
  if (!stored) throw damagedCopy(target, key, name, 'is missing')
  if (stored.size !== size) throw damagedCopy(target, key, name, `has ${stored.size} bytes, not ${size}`)
}
