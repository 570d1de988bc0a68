import { RestError } from '../../errors.js'
import type { Scope } from '../actions/action.js'
import type { ObjectModel } from '../model/model.js'

/**
 * Whether a call names a record must fit what the action or publication works on.
 *
 * @param what for the message, e.g. `Action "x"`.
 * @throws RestError ERR_BAD_REQUEST
 */
export function checkScope(what: string, scope: Scope, object: ObjectModel, rowId: string | undefined): void {
  if (scope === 'record' && rowId === undefined)
    throw new RestError('ERR_BAD_REQUEST', `${what} works on one record: name it, as in /${object.name}/<row_id>.`)
  if (scope === 'global' && rowId !== undefined)
    throw new RestError('ERR_BAD_REQUEST', `${what} works on "${object.name}" as a whole: leave the record out.`)
}
