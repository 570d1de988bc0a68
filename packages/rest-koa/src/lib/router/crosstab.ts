import { crosstabCubes, crosstabTable } from '@steward/rest-core'
import type { OfKind } from './address.js'
import { sendJson } from './answer-text.js'
import type { RestCall } from './call.js'
import { readBoolean } from './read-query.js'
import type { RequestQuery } from './read-query.js'

/**
 * A pivot table over the records that a search with the same filters finds. Source: docs/spec/wire-decisions.md, "pivot
 * table".
 */
export async function crosstab(call: RestCall, { object }: OfKind<'object'>, query: RequestQuery): Promise<void> {
  const { _crosstab: name = '', _crosstabcubes: cubes = 'false' } = query.own
  const form = readBoolean('_crosstabcubes', cubes) ? crosstabCubes : crosstabTable
  const { service, principal } = call
  const computed = await service.crosstab(principal, object, name, query)
  await sendJson(call, form(computed))
}
