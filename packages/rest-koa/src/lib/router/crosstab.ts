import { crosstabCubes, crosstabTable } from '@steward/rest-core'
import { send, textHeaders } from '../http/answer.js'
import type { OfKind } from './address.js'
import type { RestCall } from './call.js'
import { readBoolean } from './read-query.js'
import type { RequestQuery } from './read-query.js'

/** A pivot table over the records that a search with the same filters finds. Source: wire-decisions, "pivot table". */
export async function crosstab(
  { context, service, principal, respond }: RestCall,
  { object }: OfKind<'object'>,
  query: RequestQuery,
): Promise<void> {
  const { _crosstab: name = '', _crosstabcubes: cubes = 'false' } = query.own
  const form = readBoolean('_crosstabcubes', cubes) ? crosstabCubes : crosstabTable
  const computed = await service.crosstab(principal, object, name, query)
  send(context, respond, 200, textHeaders(), JSON.stringify(form(computed)))
}
