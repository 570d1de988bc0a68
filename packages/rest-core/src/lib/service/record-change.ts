import { isInColumn, namedBytes } from '../documents/column-content.js'
import type { FieldValue, JsonValue } from '../fields/field-value.js'
import { isEmpty, isUnfilled } from '../fields/field-type.js'
import type { BusinessRecord, FieldModel, Model, ObjectModel } from '../model/model.js'
import type { Principal } from '../rights/rights.js'
import type { StoreSession } from '../store.js'
import { timestamp } from '../fields/temporal.js'
import type { Change, ServiceContext } from './service-context.js'

/** A write of one record, before its transaction ends. */
export interface RecordedChange extends Change {
  readonly principal: Principal
  /** The record before; needed for the audit trail only. */
  readonly old?: BusinessRecord | undefined
  /** What was written. */
  readonly values?: Readonly<Record<string, FieldValue>>
}

/** Longest text of a value in the audit trail, in UTF-16 code units. Not specified; chosen to show what was meant and to keep the trail small. */
const longestText = 4000

const secret = '***'

/** Whether changes of the object are written down; they need a transaction then. */
export function isRecorded({ definition: { audit, events } }: ObjectModel): boolean {
  return audit === true || events === true
}

/** What is missing when changes are to be written down and the model has nothing to write them to. */
export function lackingObjects(model: Model): string[] {
  const lacking: string[] = []
  for (const { name, definition } of model.objects.values()) {
    for (const [option, needed] of [
      ['audit', 'AuditEntry'],
      ['events', 'Event'],
    ] as const) {
      if (definition[option] !== true || model.objects.has(needed)) continue
      lacking.push(`Object "${name}" has "${option}: true", which needs the system object "${needed}" in the model.`)
    }
  }
  return lacking
}

/** Writes the change down in the transaction that makes it: into the audit trail, into the outbox of events, or both. */
export async function recordChange(
  { model, clock, requestId }: ServiceContext,
  session: StoreSession,
  change: RecordedChange,
): Promise<void> {
  const { object, operation, rowId, principal } = change
  const now = timestamp(clock())
  const login = principal.login.slice(0, 255)
  if (object.definition.audit) {
    const changes = changesOf(change)
    if (operation !== 'update' || Object.keys(changes).length > 0) {
      const entries = model.object('AuditEntry')
      await session.insert(
        entries,
        {
          aud_object: object.name,
          aud_row_id: rowId,
          aud_action: operation,
          aud_dt: now,
          aud_login: login,
          aud_changes: changes,
          aud_request: requestId?.()?.slice(0, 255) ?? '',
        },
        entries.select([]),
      )
    }
  }
  if (object.definition.events) {
    const events = model.object('Event')
    await session.insert(
      events,
      { evt_object: object.name, evt_row_id: rowId, evt_action: operation, evt_dt: now, evt_login: login },
      events.select([]),
    )
  }
}

/** By field: `[before, after]`, only what is different; `null` where there was no record. */
function changesOf({ object, operation, old, values = {} }: RecordedChange): { [field: string]: JsonValue } {
  const changes: { [field: string]: JsonValue } = {}
  for (const field of object.fields) {
    const before = old?.[field.name]
    const value = operation === 'delete' ? undefined : values[field.name]
    const after = isInColumn(field) && !isEmpty(value) ? namedBytes(value as string) : value
    if (
      operation === 'update'
        ? after === undefined || isSame(before, after, field)
        : isUnfilled(before, field) && isUnfilled(after, field)
    )
      continue
    changes[field.name] = [
      operation === 'create' ? null : shown(field, before),
      operation === 'delete' ? null : shown(field, after),
    ]
  }
  return changes
}

function isSame(before: FieldValue | undefined, after: FieldValue, field: FieldModel): boolean {
  return (
    before === after ||
    (isUnfilled(before, field) && isUnfilled(after, field)) ||
    JSON.stringify(before) === JSON.stringify(after)
  )
}

function shown({ visible }: FieldModel, value: FieldValue | undefined): JsonValue {
  // An old password was not read.
  if (value === undefined) return visible ? null : secret
  if (!visible) return isEmpty(value) ? '' : secret
  const text = typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : ''
  return text.length > longestText ? cut(text) : value
}

function cut(text: string): string {
  // Half of a surrogate pair at the end could not be stored.
  return `${text.slice(0, longestText).replace(/[\uD800-\uDBFF]$/, '')}… (${text.length} characters)`
}
