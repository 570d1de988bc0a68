import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ManagerError } from '../../errors.js'
import type { Settings } from '../settings/settings.js'
import { isInOpenFacts } from '../store/operation-rows.js'
import type { Registry } from '../store/registry.js'
import type { Backup, BackupFilter, Backups } from './backup.js'
import { foldersOfBackups } from './backup-folders.js'
import { chooseBackup, isBackupId, lastPart, nameIn, newestFirst } from './choose-backup.js'
import { newerAway } from './known-backups.js'
import { readManifest } from './manifest.js'
import { isFolderOf, ownerOf, ownerOfFolder, owns, type BackupOwner } from './owner.js'
import { rememberingDamage } from './remembering-damage.js'
import { changeStatus, readStatus } from './status.js'
import { verifyBackup } from './verify-backup.js'

export interface BackupsOptions {
  readonly settings: () => Settings
  readonly registry: () => Registry
  readonly clock: () => Date
}

/** The backups in APPS_SAVE_DIR and APPS_SAVEALL_DIR. */
export function createBackups({ settings, registry, clock }: BackupsOptions): Backups {
  const roots = () => [...new Set([settings().global.saveFolder, settings().global.saveAllFolder])]

  /** Those whose manifest cannot be read are in `damaged`. */
  async function scan(owner?: BackupOwner) {
    const backups: Backup[] = []
    const damaged: { readonly key: string; readonly error: ManagerError }[] = []
    for (const root of roots())
      for (const instance of await lookIn(root, foldersOfBackups)) {
        if (owner && !isFolderOf(owner, instance)) continue
        for (const id of await lookIn(join(root, instance), foldersIn)) {
          if (!isBackupId(id)) continue
          const key = `${instance}/${id}`
          try {
            const backup = await read(join(root, instance, id), key)
            if (!backup && !isBeingMade(id))
              damaged.push({ key, error: await withoutManifest(join(root, instance, id), key) })
            if (backup && (!owner || owns(owner, backup.manifest))) backups.push(backup)
          } catch (error) {
            if (!ManagerError.is(error)) throw error
            damaged.push({ key, error })
          }
        }
      }
    return { backups: newestFirst(backups), damaged }
  }

  /** An operation writes it, or takes it away. */
  function isBeingMade(id: string): boolean {
    return isInOpenFacts(registry(), id)
  }

  return {
    list: async (filter = {}) => (await scan(meantBy(filter))).backups,
    async damaged(filter = {}) {
      return (await scan(meantBy(filter))).damaged.map(({ key, error }) => ({ key, message: error.message }))
    },
    async find(name, backup) {
      const [folder, wanted] = backup.includes('/') ? (backup.split('/', 2) as [string, string]) : ['', backup]
      const owner = folder === '' ? ownerOf(registry(), name) : ownerOfFolder(folder)
      const { backups, damaged } = await scan(owner)
      const away =
        wanted === 'latest' &&
        backups.length === 0 &&
        (await newerAway({ settings: settings(), registry: registry() }, name))
      if (away)
        throw new ManagerError(
          'ERR_NOT_FOUND',
          `No backup of "${owner.name}" is here; the latest, ${away.id}, is at "${away.target}".`,
          {
            command: `backups fetch ${owner.name} --from ${away.target}:${away.id}`,
          },
        )
      const others = owner.id === undefined ? [] : (await scan(ownerOfFolder(owner.name))).backups
      return chooseBackup({
        backups,
        damaged,
        owner: owner.name,
        wanted,
        where: '',
        first: `save ${owner.name}`,
        help: others.some(({ manifest }) => !owns(owner, manifest)) ? othersHelp(owner.name) : helpOf(owner.name),
        list: `backups list ${owner.name}`,
      })
    },
    async verify(backup, options) {
      const { folder, manifest } = backup
      const at = clock().toISOString()
      const verification = await rememberingDamage({ folder, clock }, () =>
        verifyBackup(folder, manifest, settings().global.backupEncryption, options),
      )
      await changeStatus(folder, (status) => ({ ...status, verified: { at } }))
      return verification
    },
  }

  function meantBy({ name, savedAs }: BackupFilter): BackupOwner | undefined {
    if (savedAs !== undefined) return ownerOfFolder(savedAs)
    return name === undefined ? undefined : ownerOf(registry(), name)
  }

  /** What is not here may be elsewhere. */
  function helpOf(name: string): string | undefined {
    const [target] = settings().global.targets
    return target && `Those at targets are shown by: backups list ${name} --at ${target.name}`
  }

  async function read(folder: string, key: string): Promise<Backup | undefined> {
    const manifest = await readManifest(folder)
    if (!manifest) return undefined
    const { verified, proved, copies = {}, wanted } = await readStatus(folder)
    return {
      key,
      folder,
      manifest,
      proved,
      copies,
      wanted,
      verified: verified?.at ?? manifest.finished,
      damage: verified?.damage,
    }
  }
}

/** What can be done depends on where it is besides. */
async function withoutManifest(folder: string, key: string): Promise<ManagerError> {
  const { copies = {} } = await readStatus(folder)
  const good = Object.entries(copies).find(([, { damage }]) => damage === undefined)?.[0]
  const cure =
    good === undefined
      ? 'Restore its files manually (docs/backup-format.md), or remove its folder'
      : `Fetch the copy: manager backups fetch ${nameIn(key)} --from ${good}:${lastPart(key)}`
  return new ManagerError('ERR_BACKUP', `The backup ${folder} is damaged: it has no manifest.json. ${cure}.`)
}

function othersHelp(name: string): string {
  return `Another instance that was named "${name}" has backups; use their full names: ${name}/<backup>.`
}

async function foldersIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
}

/** None when it is not there. */
async function lookIn(
  folder: string,
  list: (folder: string) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  try {
    return await list(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw new ManagerError('ERR_BACKUP', `Cannot look for backups in ${folder}: ${(error as Error).message}.`, {
      cause: error,
    })
  }
}
