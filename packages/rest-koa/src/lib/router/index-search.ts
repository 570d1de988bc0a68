import { pageSizeOverAll } from '@steward/rest-core'
import { RestError } from '@steward/rest-core/errors'
import { send, textHeaders } from '../http/answer.js'
import type { OfKind } from './address.js'
import { listAsJson, sendJson } from './answer-text.js'
import type { RestCall } from './call.js'
import type { RequestQuery } from './read-query.js'
import { linkOfPage } from './search.js'

/**
 * Records found by words, or their number, of one object or of all. Source: docs/spec/rest-service.md, "Index search".
 */
export async function indexSearch(
  call: RestCall,
  target: OfKind<'object' | 'index'>,
  { own, ...query }: RequestQuery,
): Promise<void> {
  const { _indexsearch: text } = own
  if (text === undefined) throw new RestError('ERR_BAD_REQUEST', 'Give "_indexsearch", the words to look for.')
  const { context, service, principal, respond } = call
  if (query.count) return sendJson(call, await service.countIndex(principal, target.object, { ...query, text }))
  const found = await service.indexSearch(principal, target.object, { ...query, text, memory: call.memory() })
  const headers = textHeaders()
  const { page } = query
  if (page !== undefined) {
    const { pageSize = target.object === undefined ? pageSizeOverAll : service.model.object(target.object).pageSize } =
      query
    const link = linkOfPage(call, { page, count: found.length, pageSize })
    if (link) headers.push('Link', link)
  }
  send(context, respond, 200, headers, await listAsJson(call, found))
}
