import { ManagerError } from '../../errors.js'
import { isOtherKey } from './packing/age.js'
import { changeStatus } from './status.js'

/** Looks at a backup that is here; that it is damaged (ERR_BACKUP) is remembered until it is read well again. */
export async function rememberingDamage<T>(
  { folder, clock }: { readonly folder: string; readonly clock: () => Date },
  look: () => Promise<T>,
): Promise<T> {
  const at = clock().toISOString()
  try {
    return await look()
  } catch (error) {
    // Whose key is another one is not damaged.
    if (ManagerError.is(error) && error.code === 'ERR_BACKUP' && !isOtherKey(error.cause))
      await changeStatus(folder, (status) => ({ ...status, verified: { at, damage: error.message } }))
    throw error
  }
}
