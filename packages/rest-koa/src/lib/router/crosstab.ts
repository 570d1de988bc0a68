import { RestError } from '@steward/rest-core/errors'
import { crosstabCubes, crosstabTable } from '@steward/rest-core'
import type { OfKind } from './address.js'
import { sendJson } from './answer-text.js'
import type { RestCall } from './call.js'
import { readBoolean } from './read-query.js'
import type { RequestQuery } from './read-query.js'
import { linkOfPage } from './search.js'

/**
 * A pivot table over the records that a search with the same filters finds, a page of its lines, or their number. Source: docs/spec/wire-decisions.md, "pivot
 * table".
 */
export async function crosstab(call: RestCall, { object }: OfKind<'object'>, query: RequestQuery): Promise<void> {
  const { _crosstab: name = '', _crosstabcubes: cubes = 'false' } = query.own
  const form = readBoolean('_crosstabcubes', cubes) ? crosstabCubes : crosstabTable
  if (name === '') throw new RestError('ERR_BAD_REQUEST', 'Parameter "_crosstab" is empty; give a name.')
  const { service, principal } = call
  if (query.count) return sendJson(call, await service.countCrosstab(principal, object, name, query))
  const computed = await service.crosstab(principal, object, name, query)
  const { page, pageSize = service.model.object(object).pageSize } = query
  if (page === undefined) return sendJson(call, form(computed))
  const lastPage = Math.max(0, Math.ceil(computed.lineCount / pageSize) - 1)
  const count = Math.min(pageSize, Math.max(0, computed.lineCount - page * pageSize))
  const link = linkOfPage(call, { page, count, pageSize, lastPage })
  await sendJson(call, form(computed), link === undefined ? [] : ['Link', link])
}
