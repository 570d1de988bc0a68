import { isDeepStrictEqual } from 'node:util'
import type {
  BusinessObjects,
  BusinessRecord,
  FieldModel,
  FieldValue,
  Filter,
  ObjectModel,
  Principal,
} from '@steward/rest-core'
import { Problem, isEmpty, isJoined } from '@steward/rest-core'
import { RestError, mostMessages } from '@steward/rest-core/errors'
import type { ImportRecord } from './import-record.js'
import { readValues } from './import-values.js'
import type { ImportValues, PendingReference } from './import-values.js'
import type { KeyReferences } from './key-references.js'
import { keyFilter, parseValue } from './key-references.js'

export type Outcome = 'created' | 'updated' | 'deleted' | 'unchanged'

export interface Written {
  readonly rowId: string
  readonly outcome: Outcome
  readonly pending: readonly PendingReference[]
}

export interface RecordWriter {
  /**
   * Does what the record says.
   *
   * @param body gets its values, to be written; the hashes of its passwords are known. Default: none are.
   */
  write(record: ImportRecord, body?: Record<string, unknown>): Promise<Written>
  /** Changes what differs, which is left in `values`; `false`: nothing did. */
  change(object: string, rowId: string, values: Record<string, unknown>): Promise<boolean>
}

/** Writes records of a file: found by functional key, and only what differs is changed. */
export function createRecordWriter(
  service: BusinessObjects,
  principal: Principal,
  references: KeyReferences,
): RecordWriter {
  return { write, change }

  async function write(record: ImportRecord, body?: Record<string, unknown>): Promise<Written> {
    const object = service.model.object(record.object)
    const input = await readValues(object, record, references, body)
    const { pending } = input
    if (record.action === 'insert') return { rowId: await create(object, input), outcome: 'created', pending }
    const key = keyOf(object, input)
    const known = await find(object, keyFilter(...key), Object.keys(input.values))
    if (record.action === 'delete') return remove(object, known)
    if (!known && record.action === 'update') throw missing(object, key)
    if (!known) return { rowId: await create(object, input), outcome: 'created', pending }
    const changed = await explained(input, () => update(object, known, input.values))
    return { rowId: known.row_id, outcome: changed ? 'updated' : 'unchanged', pending }
  }

  async function change(name: string, rowId: string, values: Record<string, unknown>): Promise<boolean> {
    const object = service.model.object(name)
    const known = await find(object, { op: '=', field: 'row_id', value: rowId }, Object.keys(values))
    return known !== undefined && update(object, known, values)
  }

  async function create(object: ObjectModel, input: ImportValues): Promise<string> {
    const { row_id: rowId } = await explained(input, () =>
      service.create(principal, object.name, input.values, { fields: [], restore: true }),
    )
    return rowId
  }

  /** A record that is gone already needs no deletion, so that an import can be repeated. */
  async function remove(object: ObjectModel, known: BusinessRecord | undefined): Promise<Written> {
    if (!known) return { rowId: '', outcome: 'unchanged', pending: [] }
    await service.delete(principal, object.name, known.row_id)
    references.forget()
    return { rowId: known.row_id, outcome: 'deleted', pending: [] }
  }

  /** The record with those of these fields that can be read. */
  async function find(
    object: ObjectModel,
    filter: Filter,
    names: readonly string[],
  ): Promise<BusinessRecord | undefined> {
    const fields = names.filter((name) => object.readable.has(name) && isVisible(object, name))
    const records = await service.search(principal, object.name, { filter, fields, page: 0, pageSize: 1 })
    for await (const [record] of records) if (record) return record
    return undefined
  }

  /** Writes the values that differ, without the others: the same body, since its passwords may be hashed already. */
  async function update(
    object: ObjectModel,
    known: BusinessRecord,
    changes: Record<string, unknown>,
  ): Promise<boolean> {
    const names = new Set(Object.keys(changes))
    for (const [name, value] of Object.entries(changes)) {
      if (name === 'row_id' || (await isSame(object, known, name, value))) delete changes[name]
    }
    // An empty reference would empty all of its fields; where the file gives these, one of them may stay filled.
    for (const { name, parts } of object.references)
      if (isEmpty(changes[name] as FieldValue) && parts?.every((part) => names.has(part.name))) delete changes[name]
    if (Object.keys(changes).length === 0) return false
    await service.update(principal, object.name, known.row_id, changes, { fields: [], restore: true })
    return true
  }

  async function isSame(object: ObjectModel, known: BusinessRecord, name: string, value: unknown): Promise<boolean> {
    const field = object.readable.get(name)
    // The service refuses what it does not know, and leaves out fields of linked objects.
    if (!field) return false
    if (isJoined(field)) return true
    if (field.type.name === 'password' && isEmpty(value as FieldValue)) return true
    if (!field.visible && !object.technical.includes(field)) return false
    if (object.documents.includes(field)) return isSameDocument(object, known, name, value)
    const parsed = field.type.parse(value, field)
    return !(parsed instanceof Problem) && isDeepStrictEqual(parsed, known[name])
  }

  async function isSameDocument(
    object: ObjectModel,
    known: BusinessRecord,
    name: string,
    value: unknown,
  ): Promise<boolean> {
    if (isEmpty(value as FieldValue) || isEmpty(known[name]))
      return isEmpty(value as FieldValue) && isEmpty(known[name])
    const options = { fields: [name], inlineDocuments: [name] }
    const stored = (await service.get(principal, object.name, known.row_id, options))[name] as Record<string, unknown>
    return Object.entries(value as object).every(([part, given]) => stored[part] === given)
  }
}

type Key = readonly [fields: readonly FieldModel[], values: readonly FieldValue[]]

/**
 * What the record is found by: the functional key; without one the row id, where the caller gives it to new records.
 *
 * @throws RestError ERR_VALIDATION naming the missing fields
 */
function keyOf(object: ObjectModel, { values, pending }: ImportValues): Key {
  const fields = object.key.length > 0 ? object.key : object.id.definition.readOnly === false ? [object.id] : []
  if (fields.length === 0)
    throw invalid(object.name, `"${object.name}" has no functional key to find records by; use the action insert.`)
  const missing = fields.filter(({ name }) => !(name in values) && !pending.some(({ field }) => field.name === name))
  if (missing.length > 0)
    throw RestError.validation([
      ...missing.map(({ name }) => ({
        code: 'ERR_REQUIRED',
        field: name,
        text: `Field "${name}" is needed to find the record: it is part of the functional key.`,
      })),
      // One of them may be what the missing one is called here.
      ...Object.keys(values)
        .filter((name) => !object.field(name))
        .slice(0, mostMessages)
        .map((name) => ({
          code: 'ERR_UNKNOWN_FIELD',
          field: name.slice(0, 100),
          text: `Object "${object.name}" has no field "${name.slice(0, 100)}".`,
        })),
    ])
  return [fields, fields.map((field) => parseValue(field, values[field.name]))]
}

function missing(object: ObjectModel, [fields, values]: Key): RestError {
  const [first] = fields
  const key = fields.map(({ name }, at) => `${name} "${String(values[at])}"`).join(', ')
  return invalid(first?.name ?? '', `There is no ${object.name} with ${key} to update.`)
}

function invalid(field: string, text: string): RestError {
  return RestError.validation([{ code: 'ERR_REFERENCE', field, text }])
}

function isVisible(object: ObjectModel, name: string): boolean {
  const field = object.readable.get(name)
  return field !== undefined && !isJoined(field) && field.visible
}

/** Leaves out messages that linked records are missing: the service looks for them outside of the transaction. */
async function explained<T>({ found }: ImportValues, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!RestError.is(error) || error.code !== 'ERR_VALIDATION') throw error
    const messages = error.messages.filter(({ code, field = '' }) => code !== 'ERR_REFERENCE' || !found.has(field))
    throw messages.length > 0 && messages.length < error.messages.length ? RestError.validation(messages) : error
  }
}
