import { objectMetadata, readMetadataContext } from '@steward/rest-core'
import { RestError } from '@steward/rest-core/errors'
import { send, textHeaders } from '../http/answer.js'
import type { Call } from './call.js'
import type { OfKind } from './operations.js'
import type { RequestQuery } from './read-query.js'

/** What an object is made of. Source: wire-decisions, "metadata" and "metadata context". */
export function metadata(
  { context, service, principal, respond }: Call,
  { object }: OfKind<'object'>,
  { own }: RequestQuery,
): void {
  const { _metadacontext: odd, _metadatacontext: even } = own
  if (odd !== undefined && even !== undefined)
    throw new RestError('ERR_BAD_REQUEST', 'Give "_metadacontext" or "_metadatacontext", not both.')
  const wanted = readMetadataContext(odd ?? even ?? 'none')
  const body = objectMetadata(principal, service.model.object(object), wanted)
  send(context, respond, 200, textHeaders(), JSON.stringify(body))
}
