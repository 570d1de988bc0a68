import { existsSync } from 'node:fs'
import { ManagerError } from '../../errors.js'
import type { ManagerContext } from '../context.js'
import type { Instance } from '../domain/instance.js'
import { needManifest } from './manifest.js'
import { localFolderOf } from './copies/remote-backup.js'
import { readStatus } from './status.js'
import { checkSizes } from './verify-backup.js'

type Context = Pick<ManagerContext, 'registry' | 'settings' | 'backups'>

/** Instances as they are proved now: no longer when the backup that was is gone, or damaged, here and at all targets. */
export async function withProofs(context: Context, instances: readonly Instance[]): Promise<readonly Instance[]> {
  if (instances.every(({ proved }) => proved === '')) return instances
  const keys = context.registry.provedBackups()
  return Promise.all(
    instances.map(async (instance) => {
      if (instance.proved === '') return instance
      const key = keys.get(instance.id) || (await keyOf(context, instance))
      return key !== undefined && (await isGood(context, key)) ? instance : { ...instance, proved: '' }
    }),
  )
}

/** For a proof that is older than the column. */
async function keyOf({ backups }: Context, { name, proved }: Instance): Promise<string | undefined> {
  return (await backups.list({ name })).find((backup) => backup.proved?.at === proved)?.key
}

/** By its manifest, the sizes of its files, and what is known of it; no file is read. */
async function isGood(context: Context, key: string): Promise<boolean> {
  const folder = localFolderOf(context, key)
  const { verified, copies = {} } = await readStatus(folder)
  if (Object.values(copies).some(({ damage }) => damage === undefined)) return true
  if (!existsSync(folder) || verified?.damage !== undefined) return false
  try {
    await checkSizes(folder, await needManifest(folder))
    return true
  } catch (error) {
    if (ManagerError.is(error) && error.code === 'ERR_BACKUP') return false
    throw error
  }
}
