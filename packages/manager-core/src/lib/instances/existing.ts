import { ManagerError } from '../../errors.js'
import type { Instance } from '../domain/instance.js'
import type { Registry } from '../store/registry.js'

/**
 * The row as it is now that its lock is held; another process may have deleted it meanwhile.
 *
 * @throws ManagerError ERR_NOT_FOUND
 */
export function existing(registry: Registry, { id, name }: Pick<Instance, 'id' | 'name'>): Instance {
  const instance = registry.byId(id)
  if (instance) return instance
  throw new ManagerError('ERR_NOT_FOUND', `The instance "${name}" no longer exists.`, { command: 'list' })
}
