import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { ManagerContext } from '../context.js'
import type { Instance } from '../domain/instance.js'
import { folderSize } from '../files/folder-size.js'
import { checkSpace } from '../instances/inspect-creation.js'
import { storedBytes } from './manifest.js'

/**
 * What a backup is going to take. Not specified; chosen: what the last one took and a bit more, else a quarter of what is
 * there, as text compresses.
 *
 * @param plainBytes of what is there
 */
export async function expectedBytes(
  { backups }: Pick<ManagerContext, 'backups'>,
  name: string,
  plainBytes: number,
): Promise<number> {
  const [last] = await backups.list({ name })
  const known = last && storedBytes(last.manifest.files)
  return known === undefined ? plainBytes / 4 : known * 1.1
}

/**
 * Whether there is room for a backup, before anything is written down. Databases of servers are looked at later.
 *
 * @throws ManagerError ERR_DISK
 */
export async function checkRoom(
  context: Pick<ManagerContext, 'backups' | 'home'>,
  { id, name }: Pick<Instance, 'id' | 'name'>,
  target: string,
): Promise<void> {
  const { app, data } = context.home.instance(id)
  const bytes = await expectedBytes(context, name, (await folderSize(app)) + (await folderSize(data)))
  let folder = dirname(target)
  while (!existsSync(folder)) folder = dirname(folder)
  await checkSpace(folder, bytes)
}
