import { existsSync } from 'node:fs'
import type { ManagerContext } from '../context.js'
import type { DatabaseType, Instance } from '../domain/instance.js'
import { isInstanceId } from '../domain/names.js'
import { listTrash } from '../instances/trash.js'

/** Whether an instance that is made again can have its id, by which its backups stay its own. */
export async function isIdFree(
  { registry, home, databases }: ManagerContext,
  { id }: Pick<Instance, 'id'>,
  type: DatabaseType,
): Promise<boolean> {
  if (!isInstanceId(id) || registry.byId(id) || existsSync(home.instance(id).folder)) return false
  // What one was before a reset or restore is not the instance itself.
  if ((await listTrash(home)).some(({ instance, reason }) => instance.id === id && reason === 'delete')) return false
  // A server may have outlived the home of the manager.
  const server = databases.server(type)
  if (!server.capabilities.server) return true
  return (await server.exists({ ...databases.names(type, id), password: '' })) === 'no'
}
