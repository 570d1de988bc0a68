import type { Filter } from '../filter/filter.js'
import type { BusinessRecord, Model } from '../model/model.js'
import type { Principal } from '../rights/rights.js'
import type { BusinessObjects } from '../service/business-objects.js'
import { hidesRecords, readableNow } from '../service/readable-now.js'
import type { ObjectStore } from '../store.js'

/** A committed change as listeners receive it. */
export interface EventRecord {
  /** From 1 on, without gaps, in the order of commits. */
  readonly number: number
  readonly object: string
  readonly rowId: string
  readonly action: 'create' | 'update' | 'delete'
  /** UTC, `yyyy-MM-dd HH:mm:ss`. */
  readonly time: string
  readonly login: string
}

/** Events after a number, in order. */
export async function readEvents(
  { model, store }: { readonly model: Model; readonly store: ObjectStore },
  after: number,
  limit: number,
): Promise<EventRecord[]> {
  const object = model.object('Event')
  const where: Filter = { op: '>', field: 'evt_number', value: after }
  const order = [
    { field: 'evt_number', descending: false },
    { field: 'row_id', descending: false },
  ]
  const found: EventRecord[] = []
  for await (const batch of store.search(object, { select: object.selection, where, order, limit }))
    found.push(...batch.map(toEvent))
  return found
}

function toEvent(record: BusinessRecord): EventRecord {
  return {
    number: record['evt_number'] as number,
    object: record['evt_object'] as string,
    rowId: record['evt_row_id'] as string,
    action: record['evt_action'] as EventRecord['action'],
    time: record['evt_dt'] as string,
    login: record['evt_login'] as string,
  }
}

/**
 * The event as this user may see it; `undefined`: not at all. A user sees events of records that can be read now, and of
 * deletions in objects that can be read; the login only where the user may see who changed a record. Whether the user
 * could read a record that is deleted is no longer known: where some records are out of reach, a row id that consists
 * of values of the record is left out (`""`).
 */
export async function eventFor(
  service: BusinessObjects,
  principal: Principal,
  event: Pick<EventRecord, 'object' | 'rowId' | 'action' | 'time' | 'login'>,
): Promise<{ object: string; row_id: string; action: string; time: string; login?: string } | undefined> {
  const { object: name, rowId, action, time, login } = event
  const object = service.model.objects.get(name)
  const rights = principal.rights.object(name)
  if (!object || !rights?.letters.has('R')) return undefined
  const isPartial = hidesRecords(principal, object)
  if (action !== 'delete' && isPartial && !(await readableNow(service, principal, name, rowId, { fields: [] })))
    return undefined
  const isShown = action !== 'delete' || !isPartial || isGenerated(rowId)
  return {
    object: name,
    row_id: isShown ? rowId : '',
    action,
    time,
    ...(!rights.hidden.has('updated_by') && { login }),
  }
}

/** Whether a row id says nothing about its record: it is a number or a UUID. */
function isGenerated(rowId: string): boolean {
  return /^(\d+|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})$/i.test(rowId)
}
