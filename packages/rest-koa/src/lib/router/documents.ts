import { RestError } from '@steward/rest-core/errors'
import type { Call } from './call.js'
import type { OfKind } from './operations.js'
import type { RequestQuery } from './read-query.js'

export async function download(_call: Call, _target: OfKind<'document'>, _query: RequestQuery): Promise<void> {
  throw new RestError('ERR_INTERNAL', 'Not there yet: download.')
}

export async function thumbnail(_call: Call, _target: OfKind<'thumbnail'>, _query: RequestQuery): Promise<void> {
  throw new RestError('ERR_INTERNAL', 'Not there yet: thumbnail.')
}

export async function upload(_call: Call, _target: OfKind<'document'>, _query: RequestQuery): Promise<void> {
  throw new RestError('ERR_INTERNAL', 'Not there yet: upload.')
}
