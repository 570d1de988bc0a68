import { RestError } from '../../errors.js'
import type { Order } from '../model/model.js'
import type { Access } from '../rights/access.js'

/**
 * The order of a search: the one asked for, or the object's without fields that are hidden from the user; the row id at
 * the end. @throws RestError ERR_BAD_REQUEST
 */
export function readOrder(access: Access, order: readonly Order[] | undefined): readonly Order[] {
  if (order === undefined || order.length === 0) return access.order
  for (const { field } of order) {
    const { type } = access.readable(field)
    if (!type.ordered) throw new RestError('ERR_BAD_REQUEST', `Field "${field}" of type ${type.name} cannot be sorted.`)
  }
  return order.some(({ field }) => field === 'row_id') ? order : [...order, { field: 'row_id', descending: false }]
}
