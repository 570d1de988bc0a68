import { RestError } from '@steward/rest-core/errors'
import type { Call } from './call.js'
import type { OfKind } from './operations.js'
import type { RequestQuery } from './read-query.js'

export async function crosstab(_call: Call, _target: OfKind<'object'>, _query: RequestQuery): Promise<void> {
  throw new RestError('ERR_INTERNAL', 'Not there yet: crosstab.')
}
