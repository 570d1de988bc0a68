import { ManagerError } from '../../errors.js'
import type { ManagerContext } from '../context.js'
import type { Instance } from '../domain/instance.js'
import { existing } from './existing.js'

/**
 * @throws ManagerError ERR_NOT_FOUND, ERR_PROTECTED; ERR_STATE when it was renamed since it was named. Source:
 * docs/spec/wire-decisions.md, "rules".
 */
export function unprotected(
  request: Pick<Instance, 'id' | 'name'>,
  what: 'deleted' | 'reset' | 'replaced by a backup' | 'rolled back' | 'upgraded with a loss of data',
  { registry }: Pick<ManagerContext, 'registry'>,
): Instance {
  const instance = existing(registry, request)
  if (instance.name !== request.name)
    throw new ManagerError('ERR_STATE', `Instance "${request.name}" is now named "${instance.name}".`, {
      help: 'It was renamed in the meantime. If you mean this instance, use its new name.',
    })
  if (!instance.protected) return instance
  throw new ManagerError('ERR_PROTECTED', `Instance "${instance.name}" is protected and cannot be ${what}.`, {
    help: `Remove the protection first: manager unprotect ${instance.name}`,
    command: `unprotect ${instance.name}`,
  })
}
