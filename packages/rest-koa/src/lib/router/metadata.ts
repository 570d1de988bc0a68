import { readMetadataContext } from '@steward/rest-core'
import { RestError } from '@steward/rest-core/errors'
import { send, textHeaders } from '../http/answer.js'
import type { OfKind } from './address.js'
import type { RestCall } from './call.js'
import type { RequestQuery } from './read-query.js'

/**
 * The structure of an object, or what can be done with a record. Source: docs/spec/wire-decisions.md, "metadata" and
 * "metadata context".
 */
export async function metadata(
  { context, service, principal, respond }: RestCall,
  target: OfKind<'object' | 'row'>,
  { own }: RequestQuery,
): Promise<void> {
  const { _metadacontext: odd, _metadatacontext: even } = own
  if (odd !== undefined && even !== undefined)
    throw new RestError('ERR_BAD_REQUEST', 'Give "_metadacontext" or "_metadatacontext", not both.')
  const wanted = readMetadataContext(odd ?? even ?? 'none')
  const rowId = 'rowId' in target ? target.rowId : undefined
  const body = await service.metadata(principal, target.object, { context: wanted, rowId })
  send(context, respond, 200, textHeaders(), JSON.stringify(body))
}
