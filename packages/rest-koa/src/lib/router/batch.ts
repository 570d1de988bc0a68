import type { BatchItem, BusinessObjects, NeededRight } from '@steward/rest-core'
import { RestError } from '@steward/rest-core/errors'
import { send, textHeaders } from '../http/answer.js'
import { clientGone } from '../http/client-gone.js'
import type { OfKind } from './address.js'
import { listAsText } from './answer-text.js'
import type { RestCall } from './call.js'
import { answerOptions, readBoolean } from './read-query.js'
import type { RequestQuery } from './read-query.js'
import { idempotencyKey, readBody, write } from './writing.js'

/** Writes several records: all or none, or each on its own. Source: docs/spec/wire-decisions.md, "additions". */
export async function batch(call: RestCall, { object }: OfKind<'batch'>, query: RequestQuery): Promise<void> {
  const { context, service, principal, respond } = call
  const given = query.own['_atomic']
  const atomic = given === undefined || readBoolean('_atomic', given)
  const body = await readBody(call, { object, letters: ['C', 'U', 'D'] })
  // The service checks what the items are.
  const items = body as readonly BatchItem[]
  const { dryRun } = query
  const signal = clientGone(context)
  const options = { ...answerOptions(call, query), memory: call.memory(), dryRun, signal }
  if (atomic) {
    const work = async (inside: BusinessObjects) => ({
      body: listAsText(call, await inside.batch(principal, object, items, options)),
    })
    const bodies = Array.isArray(items)
      ? items.slice(0, 10_000).map((item: Partial<BatchItem> | null) => item?.values)
      : []
    const passwords = { object, bodies }
    return write(call, query, { needs: needsOf(object, items), body, passwords, again: true, work })
  }
  if (idempotencyKey(context) !== undefined) {
    throw new RestError(
      'ERR_BAD_REQUEST',
      'An Idempotency-Key needs one transaction for all items; leave out "_atomic=false", or the header.',
    )
  }
  const results = await service.batch(principal, object, items, { ...options, atomic })
  if (dryRun) context.set('X-Dry-Run', 'true')
  // What was written has to be answered; the service has counted the records.
  send(context, respond, 200, textHeaders(), JSON.stringify(results))
}

const letters = { create: ['C'], update: ['U'], delete: ['D'], upsert: ['C', 'U'] } as const

/** For items that are not checked yet. */
function needsOf(object: string, items: unknown): NeededRight[] {
  if (!Array.isArray(items)) return []
  return (items as readonly (Partial<BatchItem> | null)[]).flatMap((item) => {
    const { action, row_id: rowId } = item ?? {}
    if (action === undefined || !Object.hasOwn(letters, action)) return []
    return [{ object, letters: letters[action], rowId: typeof rowId === 'string' ? rowId : undefined }]
  })
}
