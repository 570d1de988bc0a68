import type { Filter } from '../filter/filter.js'
import type { Model } from '../model/model.js'
import type { ObjectStore, StoreSession } from '../store.js'
import type { Lease } from './lease.js'

/** Events that are numbered in one transaction: few enough to keep the lock short. */
const most = 200

export interface NumberEventsOptions {
  readonly model: Model
  readonly store: ObjectStore
  /** Its lock lets one process at a time assign numbers; its number is the last one given. */
  readonly lease: Lease
}

/**
 * Numbers committed events that have no number yet, in their order of commit.
 *
 * Row ids will not do as places in the stream: they are given when a row is inserted, and transactions commit in another
 * order, so that a reader that has seen 8 would never see 7 when it is committed later. So events get a number of their
 * own after their commit, by one process at a time, which holds a lock until its numbers are committed: a reader who sees a
 * number can see all before it, and events that are committed later get higher ones.
 *
 * @returns the last number that was given ever.
 */
export async function numberEvents(options: NumberEventsOptions): Promise<number> {
  const { store, lease } = options
  for (;;) {
    if ((await unnumbered(options, store, 1)).length === 0) return lease.readNumber()
    const { count, last } = await numberSome(options)
    if (count < most) return last
  }
}

async function numberSome(options: NumberEventsOptions): Promise<{ count: number; last: number }> {
  const { model, store, lease } = options
  // The row must be there before the transaction, for all to see.
  await lease.readNumber()
  const object = model.object('Event')
  const select = object.select([])
  return store.transaction(async (session) => {
    let { number: last } = await lease.lock(session)
    const ids = await unnumbered(options, session, most)
    for (const id of ids) await session.update(object, id, { evt_number: ++last }, { select })
    if (ids.length > 0) await lease.writeNumber(session, last)
    return { count: ids.length, last }
  })
}

async function unnumbered({ model }: NumberEventsOptions, session: StoreSession, limit: number): Promise<string[]> {
  const object = model.object('Event')
  const where: Filter = { op: 'null', field: 'evt_number' }
  const ids: string[] = []
  for await (const batch of session.search(object, { select: object.select([]), where, order: object.order, limit }))
    ids.push(...batch.map(({ row_id: id }) => id))
  return ids
}
