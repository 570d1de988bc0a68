import type { OfKind } from './address.js'
import type { RestCall } from './call.js'
import { answerOptions } from './read-query.js'
import type { RequestQuery } from './read-query.js'
import { locationOf, precondition, readBody, write, writtenRecord } from './writing.js'

/** Updates the record with this functional key, or creates it. Source: docs/spec/wire-decisions.md, "additions". */
export async function upsert(call: RestCall, { object, key }: OfKind<'key'>, query: RequestQuery): Promise<void> {
  const { principal } = call
  const needs = [{ object, letters: ['C', 'U'] }] as const
  const body = await readBody(call, needs[0])
  const options = { ...answerOptions(call, query), ...precondition(call), key }
  await write(call, query, {
    needs,
    body,
    passwords: { object, bodies: [body] },
    again: true,
    async work(service) {
      const { created, record } = await service.upsert(principal, object, body, options)
      return writtenRecord(record, created ? locationOf(call, object, record) : undefined)
    },
  })
}
