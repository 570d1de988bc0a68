import { RestError } from '@steward/rest-core/errors'
import type { Call } from './call.js'
import type { OfKind } from './operations.js'
import type { RequestQuery } from './read-query.js'

export async function runAction(
  _call: Call,
  _target: OfKind<'object' | 'row' | 'action'>,
  _query: RequestQuery,
): Promise<void> {
  throw new RestError('ERR_INTERNAL', 'Not there yet: runAction.')
}

export async function task(_call: Call, _target: OfKind<'task'>, _query: RequestQuery): Promise<void> {
  throw new RestError('ERR_INTERNAL', 'Not there yet: task.')
}

export async function cancelTask(_call: Call, _target: OfKind<'task'>, _query: RequestQuery): Promise<void> {
  throw new RestError('ERR_INTERNAL', 'Not there yet: cancelTask.')
}
