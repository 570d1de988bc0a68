import type { Filter } from '../filter/filter.js'
import type { Model, ObjectModel } from '../model/model.js'
import { timestamp } from '../fields/temporal.js'
import type { ObjectStore } from '../store.js'

/** How much later than at their time rows are deleted, in ms: clocks of servers may differ by that. */
export const clockToleranceMs = 86_400_000

/** Rows that go in one transaction, so that no writer waits long for its locks. */
const mostAtOnce = 500

/** Deletes rows in batches. @returns how many. */
export async function purgeRows(store: ObjectStore, object: ObjectModel, where: Filter): Promise<number> {
  const { order } = object
  let count = 0
  for (;;) {
    const ids: string[] = []
    for await (const batch of store.search(object, { select: object.select([]), where, order, limit: mostAtOnce }))
      ids.push(...batch.map(({ row_id: id }) => id))
    await store.transaction(async (session) => {
      for (const id of ids) await session.delete(object, id)
    })
    count += ids.length
    if (ids.length < mostAtOnce) return count
  }
}

/** The time that many days ago, as datetime fields hold it. */
export function daysAgo(days: number, now: Date = new Date()): string {
  return timestamp(new Date(now.getTime() - days * 86_400_000))
}

/** Deletes entries of the audit trail that are older; nothing else deletes them. @returns how many. */
export function purgeAuditEntries(
  { model, store }: { readonly model: Model; readonly store: ObjectStore },
  olderThanDays: number,
): Promise<number> {
  return purgeRows(store, model.object('AuditEntry'), { op: '<', field: 'aud_dt', value: daysAgo(olderThanDays) })
}
