import { RestError } from '@steward/rest-core/errors'
import { send, textHeaders } from '../http/answer.js'
import type { OfKind } from './address.js'
import type { RestCall } from './call.js'
import type { RequestQuery } from './read-query.js'

/** Records found by words, or their number, of one object or of all. Source: rest-service.md, "Index search". */
export async function indexSearch(
  { context, service, principal, respond }: RestCall,
  target: OfKind<'object' | 'index'>,
  { own, ...query }: RequestQuery,
): Promise<void> {
  const { _indexsearch: text } = own
  if (text === undefined) throw new RestError('ERR_BAD_REQUEST', 'Give "_indexsearch", the words to look for.')
  const request = { ...query, text }
  const found = query.count
    ? await service.countIndex(principal, target.object, request)
    : await service.indexSearch(principal, target.object, request)
  send(context, respond, 200, textHeaders(), JSON.stringify(found))
}
