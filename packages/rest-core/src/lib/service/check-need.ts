import { RestError } from '../../errors.js'
import type { Filter } from '../filter/filter.js'
import type { Model } from '../model/model.js'
import { accessOf, type Access } from '../rights/access.js'
import type { Principal } from '../rights/rights.js'
import type { NeededRight } from './business-objects.js'

/**
 * Refuses a request that has no right to what it needs, before its body is read. Records are not looked at.
 *
 * @returns what the user may do with the object, and the row filter of the right.
 * @throws RestError ERR_NOT_FOUND, ERR_RIGHT
 */
export function checkNeed(
  model: Pick<Model, 'object'>,
  principal: Principal,
  { object: name, letters, action, publication }: NeededRight,
): { readonly access: Access; readonly where: Filter | undefined } {
  const object = model.object(typeof name === 'string' ? name : name.name)
  const access = accessOf(principal, object)
  const [first] = letters
  const letter = letters.find((each) => access.may(each)) ?? first
  const where = letter && access.need(letter)
  if (action !== undefined && object.actions.has(action) && !access.allows('actions', action))
    throw new RestError('ERR_RIGHT', `You may not run action "${action}" of "${object.name}".`)
  if (publication !== undefined && object.publications.has(publication) && !access.allows('publications', publication))
    throw new RestError('ERR_RIGHT', `You may not use publication "${publication}" of "${object.name}".`)
  return { access, where }
}
