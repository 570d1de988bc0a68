import { createHash } from 'node:crypto'
import { dirname } from 'node:path'
import { ManagerError } from '../../../errors.js'
import type { Copy, InstanceRef } from '../runtime.js'

/** By which a container is known as that of a copy of an instance of this home. */
export const labels = {
  home: 'steward.home',
  instance: 'steward.instance',
  copy: 'steward.copy',
  /** Folder of the instance. */
  folder: 'steward.folder',
  /** Hash of what it was made from: with another one, it is made again before its next start. */
  made: 'steward.made',
} as const

/** Identifies a home. @param instances its folder of instances */
export function homeIdIn(instances: string): string {
  return createHash('sha256').update(instances).digest('hex').slice(0, 8)
}

/** By its folder, too: an instance that takes the place of another has its id for a while. */
export function containerName({ id, folder }: InstanceRef, copy: Copy): string {
  const hash = createHash('sha256').update(folder).digest('hex').slice(0, 8)
  return `steward-${homeIdIn(dirname(folder))}-${id}-${hash}-${copy}`
}

/** @throws ManagerError ERR_STATE for one that has the name by chance */
export function assertOurs(name: string, folder: string, found: Readonly<Record<string, string>> | undefined): void {
  if (found?.[labels.folder] === folder) return
  throw new ManagerError('ERR_STATE', `The container "${name}" exists, but does not belong to this manager.`, {
    help: `Rename it, e.g. with "docker rename ${name} other", or remove it.`,
  })
}
