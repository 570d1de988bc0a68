import type { ErrorMessage } from '../../errors.js'
import { RestError, StoreError } from '../../errors.js'
import type { FieldValue } from '../fields/field-value.js'
import { isEmpty } from '../fields/field-type.js'
import type { Filter } from '../filter/filter.js'
import type { BusinessRecord, FieldModel, ObjectModel, ReferenceModel } from '../model/model.js'
import { accessOf } from '../rights/access.js'
import type { Principal } from '../rights/rights.js'
import type { ObjectStore, StoreSession } from '../store.js'
import { refusedKey, refusedValues } from './refused-values.js'

/** What was attempted when the store refused. */
export interface StoreAttempt {
  readonly object: ObjectModel
  readonly operation: 'read' | 'create' | 'update' | 'delete'
  /** Who attempted it; messages reveal nothing that is hidden from them. Default: nothing is hidden. */
  readonly principal?: Principal
  readonly rowId?: string
  readonly values?: Readonly<Record<string, FieldValue>>
  /** The record as the principal may read it now. Default: what is stored may be shown. */
  readonly readable?: () => Promise<BusinessRecord | undefined>
}

/**
 * Turns a StoreError into the RestError that the client gets. Which key or reference is at fault is looked up here, after
 * the refusal: databases do not say it in a common way, and asking beforehand would cost every good request.
 *
 * @param attempt absent when several things were attempted.
 * @param session must not be the failed transaction's own.
 */
export async function translate(
  error: unknown,
  attempt: StoreAttempt | undefined,
  session: StoreSession & Pick<ObjectStore, 'constraintColumns'>,
): Promise<unknown> {
  if (!StoreError.is(error)) return error
  switch (error.code) {
    case 'unavailable':
      return new RestError('ERR_UNAVAILABLE', 'The database cannot be reached. Try again.', {
        cause: error,
        retryAfterSeconds: 2,
      })
    case 'overloaded':
      return new RestError('ERR_UNAVAILABLE', 'The server is busy: too many requests use the database. Try again.', {
        cause: error,
        retryAfterSeconds: 2,
      })
    case 'busy':
      return new RestError('ERR_UNAVAILABLE', 'The record is being changed by another request. Try again.', {
        cause: error,
        retryAfterSeconds: 1,
      })
    case 'timeout':
      return new RestError(
        'ERR_UNAVAILABLE',
        'The database took too long to answer; narrow the filter, or ask for less.',
        { cause: error, retryAfterSeconds: 10 },
      )
    case 'readOnly':
      return new RestError(
        'ERR_UNAVAILABLE',
        'The database takes no changes now, because it is read-only. Try again later, or ask its administrator.',
        { cause: error, retryAfterSeconds: 10 },
      )
    case 'right':
      return new RestError('ERR_RIGHT', lacksRight(attempt), { cause: error })
    case 'broken':
      return RestError.conflict([{ code: 'ERR_CONFLICT', text: brokenTable(error, attempt) }], error)
    case 'rows':
      return attempt?.operation === 'create'
        ? new RestError(
            'ERR_RIGHT',
            `The database kept no record of "${attempt.object.name}": a trigger or rule of its table refused it, or stored it elsewhere. Nothing was changed.`,
            { cause: error },
          )
        : RestError.conflict([{ code: 'ERR_CONFLICT', text: severalRows(attempt) }], error)
    case 'size':
      return new RestError('ERR_TOO_LARGE', error.message, { cause: error })
    case 'unique': {
      const found = attempt ? await duplicates(attempt, session) : []
      return RestError.conflict(found.length > 0 ? found : [await otherKey(error, attempt, session)], error)
    }
    case 'reference':
      return attempt?.operation === 'delete'
        ? RestError.conflict(
            orElse(await referrers(attempt, session), {
              code: 'ERR_REFERENCE',
              text: 'Other records refer to it; delete or change them first.',
            }),
            error,
          )
        : RestError.validation(
            orElse(attempt && (await missingReferences(attempt, session)), {
              code: 'ERR_REFERENCE',
              text: 'A linked record no longer exists.',
            }),
          )
    case 'value': {
      if (attempt?.operation === 'read') {
        const text = 'A filter has a value that the database cannot compare with its column.'
        return new RestError('ERR_FILTER', text, { cause: error })
      }
      // A reference in a form that no id has, e.g. no UUID, is one to a record that does not exist.
      const missing = attempt && error.refusal?.why === 'form' ? await missingReferences(attempt, session) : []
      const { object, values = {} } = attempt ?? {}
      return RestError.validation(
        missing.length > 0 ? missing : await refusedValues(error, object, values, session),
        error,
      )
    }
    case 'schema':
    case 'internal':
      return new RestError('ERR_INTERNAL', 'The request could not be carried out.', { cause: error })
  }
}

function lacksRight(attempt: StoreAttempt | undefined): string {
  const what = attempt
    ? `may not ${attempt.operation} ${attempt.operation === 'read' ? 'records' : 'this record'} of "${attempt.object.name}"`
    : 'may not do this'
  return `The user with which the service connects to the database ${what}: it lacks the right there, or a rule of the table refuses it.`
}

function brokenTable({ refusal }: StoreError, attempt: StoreAttempt | undefined): string {
  const what = attempt ? `${attempt.operation} records of "${attempt.object.name}"` : 'do this'
  const names = refusal?.constraint === undefined ? '' : ` (${refusal.constraint})`
  return `The database cannot ${what}: a foreign key, trigger or view of the table refers to something that is missing${names}. Its administrator has to mend it.`
}

function severalRows(attempt: StoreAttempt | undefined): string {
  const id = attempt?.rowId === undefined ? 'the row id' : `the row id "${attempt.rowId}"`
  const of = attempt ? ` of "${attempt.object.name}"` : ''
  return `Several rows${of} have ${id}. Nothing was changed; give them different keys in the database.`
}

/** What is at fault may be gone again, or belong to an open transaction; then the general message serves. */
function orElse(messages: ErrorMessage[] | undefined, general: ErrorMessage): ErrorMessage[] {
  return messages?.length ? messages : [general]
}

const anotherKey: ErrorMessage = { code: 'ERR_USERKEY', text: 'Another record already has this key.' }

/** The message about a key that the definition does not know, or that is free again meanwhile. */
async function otherKey(
  error: StoreError,
  attempt: StoreAttempt | undefined,
  store: Pick<ObjectStore, 'constraintColumns'>,
): Promise<ErrorMessage> {
  const key = attempt && (await refusedKey(error, attempt.object, store))
  return key ? duplicate(attempt, key as [FieldModel, ...FieldModel[]], attempt.values ?? {}) : anotherKey
}

/** Messages about functional keys and unique fields that another record already has. */
export async function duplicates(attempt: StoreAttempt, session: StoreSession): Promise<ErrorMessage[]> {
  const { object, principal, rowId, values = {} } = attempt
  const messages: ErrorMessage[] = []
  const { parts = [] } = object.id
  // The fields of a row id do not change.
  const rowKey = rowId === undefined && parts !== object.key ? [parts] : []
  const keys = [object.key, ...rowKey, ...object.fields.filter(({ unique }) => unique).map((field) => [field])]
  const current =
    rowId !== undefined
      ? await session.get(object, rowId, {
          select: object.select(keys.flat().map(({ name }) => name)),
          where: principal && accessOf(principal, object).need('U'),
        })
      : undefined
  if (rowId !== undefined && !current) return []
  for (const key of keys) {
    const filled = key.map((field) => ({ field, value: values[field.name] ?? current?.[field.name] }))
    if (filled.every(({ field }) => !(field.name in values)) || filled.some(({ value }) => isEmpty(value))) continue
    const terms: Filter[] = filled.map(({ field, value }) => ({
      op: '=',
      field: field.name,
      value: value as FieldValue,
    }))
    if (rowId !== undefined) terms.push({ op: '<>', field: 'row_id', value: rowId })
    if ((await session.count(object, { op: 'and', terms })) === 0) continue
    const shown = attempt.readable ? await attempt.readable() : current
    messages.push(duplicate(attempt, key as [FieldModel, ...FieldModel[]], { ...shown, ...values }))
  }
  return messages
}

/** Members that are hidden from the user, and their values, are left out. */
function duplicate(
  { object, principal }: StoreAttempt,
  key: readonly [FieldModel, ...FieldModel[]],
  values: Readonly<Record<string, FieldValue>>,
): ErrorMessage {
  const access = principal && accessOf(principal, object)
  if (access && key.some(access.hides)) return anotherKey
  const shown = key
    .map((field) => {
      const value = values[field.name]
      return value === undefined ? field.name : `${field.name} "${field.type.format(value, field)}"`
    })
    .join(', ')
  const [field] = key
  return {
    code: 'ERR_USERKEY',
    field: field.name,
    ...(key.length > 1 && { fields: key.map(({ name }) => name) }),
    text: `Another record already has ${shown}.`,
  }
}

/** Messages about references to rows that are not there. */
export async function missingReferences(
  { object, values = {} }: StoreAttempt,
  session: StoreSession,
): Promise<ErrorMessage[]> {
  const messages: ErrorMessage[] = []
  for (const field of object.references) {
    const { name, target } = field
    const value = values[name]
    if (isEmpty(value)) continue
    const found = await session.get(target, value as string, { select: target.select([]) })
    if (!found) messages.push(missingReference(field, value as string))
  }
  return messages
}

/** The message about a reference to a row that is not there, or not for this user. */
export function missingReference({ name, target }: ReferenceModel, rowId: string): ErrorMessage {
  return {
    code: 'ERR_REFERENCE',
    field: name,
    text: `Field "${name}" refers to ${target.name} "${rowId}", which does not exist.`,
  }
}

/** Messages about records that refer to the row, as far as the caller may read them. */
async function referrers(
  { object, principal, rowId = '' }: StoreAttempt,
  session: StoreSession,
): Promise<ErrorMessage[]> {
  const messages: ErrorMessage[] = []
  for (const { object: other, field } of object.referencedBy) {
    if (field.onDelete !== 'refuse') continue
    const access = principal && accessOf(principal, other)
    if (access && (!access.may('R') || access.hides(field))) continue
    const refers: Filter = { op: '=', field: field.name, value: rowId }
    const rights = access?.need('R')
    const count = await session.count(other, rights ? { op: 'and', terms: [rights, refers] } : refers)
    if (count === 0) continue
    messages.push({
      code: 'ERR_REFERENCE',
      field: field.name,
      text: `${count} ${count === 1 ? 'record' : 'records'} of ${other.name} refer to it by "${field.name}"; delete or change them first.`,
    })
  }
  return messages
}
