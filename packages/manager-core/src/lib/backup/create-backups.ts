import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ManagerError } from '../../errors.js'
import type { Settings } from '../settings/settings.js'
import type { Backup, Backups } from './backup.js'
import { readManifest } from './manifest.js'
import { changeStatus, readStatus, type BackupStatus } from './status.js'
import { verifyFiles } from './verify-backup.js'

export interface BackupsOptions {
  readonly settings: () => Settings
  readonly clock: () => Date
}

/** Folders that look so are backups when they have a manifest; all else in there is left alone. */
const pattern = /^\d{8}T\d{6}Z-.+-[a-z0-9]{8}$/

/** The backups in APPS_SAVE_DIR and APPS_SAVEALL_DIR. */
export function createBackups({ settings, clock }: BackupsOptions): Backups {
  const roots = () => [...new Set([settings().global.saveFolder, settings().global.saveAllFolder])]

  /** Those whose manifest cannot be read are in `damaged`. */
  async function scan(name?: string) {
    const backups: Backup[] = []
    const damaged: { readonly key: string; readonly error: ManagerError }[] = []
    for (const root of roots())
      for (const instance of await namesIn(root)) {
        if (name !== undefined && instance.toLowerCase() !== name.toLowerCase()) continue
        for (const id of await namesIn(join(root, instance))) {
          if (!pattern.test(id)) continue
          const key = `${instance}/${id}`
          try {
            const backup = await read(join(root, instance, id), key)
            if (backup) backups.push(backup)
          } catch (error) {
            if (!(error instanceof ManagerError)) throw error
            damaged.push({ key, error })
          }
        }
      }
    return { backups: backups.toSorted((a, b) => compare(lastPart(b.key), lastPart(a.key))), damaged }
  }

  return {
    list: async ({ name } = {}) => (await scan(name)).backups,
    async damaged({ name } = {}) {
      return (await scan(name)).damaged.map(({ key, error }) => ({ key, message: error.message }))
    },
    async find(name, backup) {
      const [owner, wanted] = backup.includes('/') ? (backup.split('/', 2) as [string, string]) : [name, backup]
      const { backups, damaged } = await scan(owner)
      const found = wanted === 'latest' ? backups.slice(0, 1) : backups.filter(({ key }) => isMeant(key, wanted))
      const [first, second] = found
      if (first && !second) return first
      if (second)
        throw new ManagerError('ERR_USAGE', `"${wanted}" is the beginning of ${found.length} backups of "${owner}".`, {
          command: `backups ${owner}`,
        })
      const broken = damaged.find(({ key }) => isMeant(key, wanted))
      if (broken) throw broken.error
      throw new ManagerError(
        'ERR_NOT_FOUND',
        wanted === 'latest' ? `There is no backup of "${owner}".` : `There is no backup "${wanted}" of "${owner}".`,
        { command: wanted === 'latest' ? `save ${owner}` : `backups ${owner}` },
      )
    },
    async verify(backup, options) {
      const at = clock().toISOString()
      const remember = (verified: BackupStatus['verified']) =>
        changeStatus(backup.folder, (status) => ({ ...status, verified }))
      try {
        await verifyFiles(backup.folder, backup.manifest, options)
      } catch (error) {
        if (error instanceof ManagerError) await remember({ at, damage: error.message })
        throw error
      }
      await remember({ at })
    },
  }

  async function read(folder: string, key: string): Promise<Backup | undefined> {
    const manifest = await readManifest(folder)
    if (!manifest) return undefined
    const { verified, proved, copies = {} } = await readStatus(folder)
    return {
      ...{ key, folder, manifest, proved, copies },
      verified: verified?.at ?? manifest.finished,
      damage: verified?.damage,
    }
  }
}

function isMeant(key: string, wanted: string): boolean {
  return wanted !== '' && (lastPart(key).startsWith(wanted) || key.endsWith(`-${wanted}`))
}

const lastPart = (key: string) => key.slice(key.indexOf('/') + 1)
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

async function namesIn(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw new ManagerError('ERR_BACKUP', `Cannot look for backups in ${folder}: ${(error as Error).message}.`, {
      cause: error,
    })
  }
}
