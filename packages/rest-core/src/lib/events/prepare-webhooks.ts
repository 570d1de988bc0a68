import { timestamp } from '../fields/temporal.js'
import type { Filter } from '../filter/filter.js'
import type { Model } from '../model/model.js'
import type { ObjectStore, StoreSession } from '../store.js'
import { createLease } from './lease.js'
import { numberEvents } from './number-events.js'

export interface PrepareWebhooksOptions {
  /** Holds the system objects. */
  readonly model: Model
  readonly store: ObjectStore
  /** See `WebhookDispatcherOptions.muted`. */
  readonly muted: boolean
}

export const mutedReason = 'Not sent: the application was neutralised, or its data copied from another instance.'

/**
 * Records whether webhooks receive what is written from now on, so that it holds however this process ends. Await it
 * before the first write; it passes by what was written until then while they were muted.
 */
export async function prepareWebhooks({ model, store, muted }: PrepareWebhooksOptions): Promise<void> {
  const mark = createLease({ model, store, name: 'webhooks-muted' })
  if (((await mark.readNumber()) === 1) === muted) return
  if (muted) return store.transaction((session) => mark.writeNumber(session, 1))
  const last = await numberEvents({ model, store, lease: createLease({ model, store, name: 'events' }) })
  const sent = createLease({ model, store, name: 'webhooks' })
  // The row must be there before the transaction, for all to see.
  await sent.readNumber()
  await store.transaction(async (session) => {
    if ((await mark.lock(session)).number !== 1) return
    if ((await sent.lock(session)).number < last) await sent.writeNumber(session, last)
    await skipDeliveries(model, session, { op: '<=', field: 'whd_event', value: last })
    await mark.writeNumber(session, 0)
  })
}

/** Notes deliveries that wait, of those that `where` names, as not sent. */
export async function skipDeliveries(
  model: Model,
  session: StoreSession,
  where: Filter | undefined,
  signal?: AbortSignal,
): Promise<void> {
  const object = model.object('WebhookDelivery')
  const select = object.select([])
  const waiting: Filter = { op: 'notNull', field: 'whd_due' }
  const order = [{ field: 'row_id', descending: false }]
  const skipped = { whd_status: 'skipped', whd_due: null, whd_next_dt: '', whd_error: mutedReason }
  const all = where ? { op: 'and' as const, terms: [waiting, where] } : waiting
  for await (const batch of session.search(object, { select, where: all, order })) {
    for (const { row_id: id } of batch)
      await session.update(object, id, { ...skipped, whd_ended: timestamp(new Date()) }, { select })
    if (signal?.aborted) return
  }
}
