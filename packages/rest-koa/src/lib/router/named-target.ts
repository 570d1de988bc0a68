import type { SearchRequest } from '@steward/rest-core'
import { RestError } from '@steward/rest-core/errors'
import { send, textHeaders } from '../http/answer.js'
import { clientGone } from '../http/client-gone.js'
import type { OfKind } from './address.js'
import type { RestCall } from './call.js'
import { hasLevel } from './level.js'
import type { Level } from './level.js'
import type { RequestQuery } from './read-query.js'

/** Source: docs/spec/rest-service.md, "Versioning": path forms `/action:<name>` and `/publication:<name>`. */
export const pathForms: Level = '5.1'

/** What a call of an action or a publication is about. */
export interface NamedTarget {
  readonly object: string
  /** Absent: a global call. */
  readonly rowId: string | undefined
  readonly name: string
}

/**
 * Reads both forms of an address: the name is in the path, or in a parameter.
 *
 * @throws RestError ERR_BAD_REQUEST, ERR_NOT_FOUND for the path below its level.
 */
export function readNamedTarget(
  { level, address }: RestCall,
  target: OfKind<'object' | 'row' | 'action' | 'publication'>,
  { own }: RequestQuery,
  parameter: '_action' | '_printtemplate',
): NamedTarget {
  const { object } = target
  const rowId = 'rowId' in target ? target.rowId : undefined
  const given = own[parameter]
  if (!('name' in target)) {
    if (!given) throw new RestError('ERR_BAD_REQUEST', `Parameter "${parameter}" is empty; give a name.`)
    return { object, rowId, name: given }
  }
  if (!hasLevel(level, pathForms))
    throw new RestError(
      'ERR_NOT_FOUND',
      `Address "${address().path.slice(0, 200)}" came with level ${pathForms}; this application runs at level ${level}. Use "${parameter}".`,
    )
  if (given !== undefined)
    throw new RestError('ERR_BAD_REQUEST', `Give the name in the address or in "${parameter}", not in both.`)
  return { object, rowId, name: target.name }
}

/**
 * Answers how many records a global call would be about, which does nothing with them. Source:
 * docs/spec/rest-service.md, "Endpoints", rule 1.
 */
export async function countRecords(
  { context, service, principal, respond }: RestCall,
  kind: 'actions' | 'publications',
  { object, name }: Pick<NamedTarget, 'object' | 'name'>,
  search: SearchRequest | undefined,
): Promise<void> {
  const counted = await service.countFor(principal, object, kind, name, { ...search, signal: clientGone(context) })
  send(context, respond, 200, textHeaders(), JSON.stringify(counted))
}

/** A record-level call has no search: counting, paging, sorting and filtering have no meaning. @throws RestError ERR_BAD_REQUEST */
export function refuseSearch({ expression, page, order, count }: RequestQuery): void {
  const parts = { count: count || undefined, page, order, filter: expression }
  const [name] = Object.entries(parts).flatMap(([part, value]) => (value === undefined ? [] : [part]))
  if (name === undefined) return
  throw new RestError('ERR_BAD_REQUEST', `A call about one record has no ${name}.`)
}
