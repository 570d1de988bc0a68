import { namesInHistory } from '../store/history-rows.js'
import type { Registry } from '../store/registry.js'
import type { Backup, Manifest } from './backup.js'
import { nameIn } from './choose-backup.js'

/** Whose backups are meant by a name. */
export interface BackupOwner {
  readonly name: string
  /** Id of the instance that is called so now; undefined: none is, and all that was saved under the name is meant. */
  readonly id: string | undefined
  /** Names that it has or had: its backups are in folders of these names. */
  readonly names: readonly string[]
}

/** The instance that has the name owns what was saved of it under any name, and nothing that others left under its own. */
export function ownerOf(registry: Registry, name: string): BackupOwner {
  const instance = registry.find(name)
  if (!instance) return { name, id: undefined, names: [name] }
  const names = [instance.name, ...namesInHistory(registry, instance.id)]
  const byKey = new Map(names.filter((one) => one !== '').map((one) => [one.toLowerCase(), one]))
  return { name: instance.name, id: instance.id, names: [...byKey.values()] }
}

/** All that was saved under a name, whichever instance has it now. */
export function ownerOfFolder(name: string): BackupOwner {
  return { name, id: undefined, names: [name] }
}

export function owns({ id }: Pick<BackupOwner, 'id'>, { instance }: Pick<Manifest, 'instance'>): boolean {
  return id === undefined || instance.id === id
}

/** Whether a folder of backups may hold some of its. */
export function isFolderOf({ names }: Pick<BackupOwner, 'names'>, folder: string): boolean {
  return names.some((name) => name.toLowerCase() === folder.toLowerCase())
}

/** Whose a backup is, for the history. One that is gone has no id, and the name that it had. */
export function instanceOf(
  registry: Pick<Registry, 'byId'>,
  { key, manifest }: Pick<Backup, 'key' | 'manifest'>,
): { readonly id: string; readonly name: string } {
  const { id = '', name = nameIn(key) } = registry.byId(manifest.instance.id) ?? {}
  return { id, name }
}
