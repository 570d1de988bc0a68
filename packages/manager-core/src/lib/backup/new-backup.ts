import { join } from 'node:path'
import type { ManagerContext } from '../context.js'
import type { Instance } from '../domain/instance.js'
import { randomId } from '../domain/names.js'

/** Where a backup that is made now goes. */
export type NewBackup = {
  /** See `Backup.key`. */
  readonly key: string
  /** Absolute, not there yet. */
  readonly target: string
}

/**
 * Chooses key and folder. A stamp is always later than those that are there, so that the newest stays the newest when
 * the clock was set back.
 *
 * @param automatic of `saveall`: in APPS_SAVEALL_DIR
 */
export async function newBackup(
  { backups, clock, settings }: Pick<ManagerContext, 'backups' | 'clock' | 'settings'>,
  { name, version }: Pick<Instance, 'name' | 'version'>,
  { automatic = false }: { readonly automatic?: boolean } = {},
): Promise<NewBackup> {
  const [last] = await backups.list({ name })
  const now = Math.max(clock().getTime(), last ? timeOf(last.key) + 1000 : 0)
  const key = `${name}/${stampOf(new Date(now))}-${version}-${randomId()}`
  const { saveFolder, saveAllFolder } = settings.global
  return { key, target: join(automatic ? saveAllFolder : saveFolder, key) }
}

/** `20261121T030000Z` */
export function stampOf(date: Date): string {
  return `${date.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`
}

/** When a backup was made, as its key says; ms since the Unix epoch. */
export function timeOf(key: string): number {
  const [, year, month, day, hours, minutes, seconds] =
    /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/.exec(key.slice(key.indexOf('/') + 1)) ?? []
  return Date.parse(`${year}-${month}-${day}T${hours}:${minutes}:${seconds}Z`)
}
