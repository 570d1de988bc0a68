import { RestError } from '../../errors.js'
import type { BusinessRecord, ObjectModel } from '../model/model.js'
import type { Principal } from '../rights/rights.js'
import type { BusinessObjects, GetOptions } from './business-objects.js'

/** Whether there may be records of the object that this user may not read, although the user may read others. */
export function hidesRecords({ rights }: Principal, { name, definition }: ObjectModel): boolean {
  const { preSelect, postSelect } = definition.hooks ?? {}
  return rights.object(name)?.letters.get('R') !== undefined || preSelect !== undefined || postSelect !== undefined
}

/**
 * The record as this user may read it now, as a get answers it; undefined when there is none, or none for this user.
 * Whatever is compared with a stored record for a user, or described to one, goes by this.
 */
export async function readableNow(
  service: BusinessObjects,
  principal: Principal,
  object: string,
  rowId: string,
  options?: GetOptions,
): Promise<BusinessRecord | undefined> {
  try {
    return await service.get(principal, object, rowId, options)
  } catch (error) {
    if (RestError.is(error) && (error.status === 404 || error.status === 403)) return undefined
    throw error
  }
}
