import { RestError } from '../../errors.js'
import type { Access } from '../rights/access.js'
import type { StoreSession } from '../store.js'

/** Why a row that should be changed was not met: it is not there, or it may be read but not changed. */
export async function missingRow(session: StoreSession, access: Access, id: string): Promise<RestError> {
  const { object } = access
  const readable = await session.get(object, id, { select: object.select([]), where: access.need('R') })
  return readable
    ? new RestError('ERR_RIGHT', `You may not change record "${id}" of "${object.name}".`)
    : RestError.notFound(`Record "${id}" of "${object.name}"`)
}
