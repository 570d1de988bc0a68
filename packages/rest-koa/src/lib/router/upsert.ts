import type { OfKind } from './address.js'
import { readJsonBody } from './body.js'
import type { RestCall } from './call.js'
import { answerOptions } from './read-query.js'
import type { RequestQuery } from './read-query.js'
import { locationOf, precondition, write, writtenRecord } from './writing.js'

/** Updates the record with this functional key, or creates it. Source: wire-decisions, "additions". */
export async function upsert(call: RestCall, { object, key }: OfKind<'key'>, query: RequestQuery): Promise<void> {
  const { context, principal, bodyLimitBytes } = call
  const body = await readJsonBody(context, bodyLimitBytes)
  const options = { ...answerOptions(query), ...precondition(call), key }
  await write(call, query, {
    needs: [{ object, letters: ['C', 'U'] }],
    body,
    again: true,
    async work(service) {
      const { created, record } = await service.upsert(principal, object, body, options)
      return writtenRecord(record, created ? locationOf(call, object, record) : undefined)
    },
  })
}
