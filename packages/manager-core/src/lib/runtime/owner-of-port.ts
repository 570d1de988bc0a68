import { accountAt } from '../accounts/account.js'
import type { PortOwner } from '../system/connect-to-owner.js'
import type { InstanceRef } from './runtime.js'
import type { OfInstance, Runtimes } from './runtimes.js'

/** Who answers at the port of an instance: its runtime says it, or it is the instance itself. */
export function ownerOfPort(runtimes: Pick<Runtimes, 'of'>, ref: InstanceRef & OfInstance): PortOwner {
  try {
    return runtimes.of(ref).ownerOfPort?.(ref) ?? ownerByAccount(ref)
  } catch {
    // Without its runtime, or an account that can be read, it is not known. Commands on it report why.
    return { uids: [] }
  }
}

/** Its account; without one, the user of the manager. @throws ManagerError ERR_STATE when the account is unknown */
export function ownerByAccount({ folder }: InstanceRef): PortOwner {
  return { uids: [accountAt(folder)?.uid ?? process.getuid?.() ?? 0] }
}
