import { RestError } from '../../errors.js'
import type { FieldValue } from '../fields/field-value.js'
import { isEmpty } from '../fields/field-type.js'
import { readRowId } from '../fields/row-key.js'
import { and } from '../filter/combine.js'
import { compareValues } from '../filter/compare.js'
import type { Filter } from '../filter/filter.js'
import type { BusinessRecord, ObjectModel, Order, ReadableField } from '../model/model.js'
import { baseField, isJoined } from '../model/model.js'
import { accessOf } from '../rights/access.js'
import { asSeen } from '../rights/links.js'
import type { Query, StoreSession } from '../store.js'
import type { BusinessObjects } from './business-objects.js'
import { cursorOrder, encodeCursor, type CursorPlace } from './cursor-text.js'
import type { ServiceContext } from './service-context.js'

/** Places of the records that searches by cursor gave; `undefined` after the last one. */
const places = new WeakMap<BusinessRecord, CursorPlace | undefined>()

export function createCursors(context: ServiceContext): Pick<BusinessObjects, 'nextCursor'> {
  return {
    nextCursor(principal, name, request, last) {
      const object = context.resolve(name)
      if (!places.has(last)) throw new TypeError('nextCursor needs a record that a search with a cursor gave.')
      const place = places.get(last)
      return place && encodeCursor(object, cursorOrder(accessOf(principal, object), request.order), place)
    },
  }
}

/** A query for one page. */
export interface PageQuery extends Query {
  readonly limit: number
}

/**
 * The records that follow a place, as one page. Each part of what follows is a query of its own, with nothing but a
 * range after equal values: databases go to its start by an index, however far that is. Most pages need one or two.
 */
export async function* searchFrom(
  session: StoreSession,
  object: ObjectModel,
  query: PageQuery,
  place: CursorPlace | undefined,
): AsyncGenerator<readonly BusinessRecord[]> {
  const { limit, caller } = query
  const { order, start } = expand(object, query.order, place)
  const selected = new Set(query.select.fields.map(({ name }) => name))
  const added = order.map(({ field }) => field).filter((name) => !selected.has(name))
  const select = added.length > 0 ? object.select([...selected, ...added]) : query.select
  let count = 0
  /** Records that are not given yet, as it is not known whether others follow. */
  let held: BusinessRecord[] = []
  for (const part of start ? partsAfter(object, order, start) : [{ where: undefined, order: enough(object, order) }]) {
    const where = and(query.where, part.where && asSeen(part.where, query))
    // One more than asked for shows whether there is another page.
    const search = { select, where, order: part.order, limit: limit + 1 - count, guards: query.guards, caller }
    let isFirst = true
    for await (const batch of session.search(object, search)) {
      if (isFirst && part.behind) checkProgress(batch[0], part.behind)
      isFirst = false
      if (held.length > 0) yield await finish(held)
      held = batch.slice(0, limit - count)
      count += batch.length
      if (count > limit && held.length === 0) return
    }
    if (count > limit) break
  }
  if (held.length > 0) yield await finish(held, count > limit)

  async function finish(records: BusinessRecord[], isFollowed = true): Promise<BusinessRecord[]> {
    const last = records.length - 1
    for (const [at, record] of records.entries()) {
      const place = query.order.map(({ field }) => record[field] as FieldValue)
      if (at < last) places.set(record, place)
      else places.set(record, isFollowed ? await exactPlace(session, object, query, record.row_id, place) : undefined)
      for (const name of added) delete record[name]
    }
    return records
  }
}

/** A place in which `null` stands for a text that is not there, and an empty text for one that is. */
async function exactPlace(
  session: StoreSession,
  object: ObjectModel,
  query: PageQuery,
  rowId: string,
  place: CursorPlace,
): Promise<CursorPlace> {
  const exact: FieldValue[] = []
  for (const [at, { field: name }] of query.order.entries()) {
    const value = place[at] as FieldValue
    const isUnclear = value === '' && mayHoldBlanks(object, object.field(name) as ReadableField)
    exact.push(isUnclear && !(await holdsBlank(session, object, query, rowId, name)) ? null : value)
  }
  return exact
}

/** A text or a day of a table that others made: it may be NULL, or empty or none, which sort apart from each other. */
function mayHoldBlanks(object: ObjectModel, field: ReadableField): boolean {
  const { columnType: type } = field
  const isBlank =
    type.kind === 'string' ||
    type.kind === 'text' ||
    ((type.kind === 'date' || type.kind === 'datetime') && type.extended)
  return isBlank === true && field !== object.id && baseField(field).object.isMapped
}

async function holdsBlank(
  session: StoreSession,
  object: ObjectModel,
  query: PageQuery,
  rowId: string,
  field: string,
): Promise<boolean> {
  const where: Filter = {
    op: 'and',
    terms: [{ op: '=', field: 'row_id', value: rowId }, asSeen(blank(field), query)],
  }
  return (await session.count(object, where, { guards: query.guards, caller: query.caller })) > 0
}

/** A text that is empty, other than one that is not there. */
function blank(field: string): Filter {
  return { op: 'like', field, pattern: '' }
}

function missing(field: string): Filter {
  return {
    op: 'and',
    terms: [
      { op: 'null', field },
      { op: 'notLike', field, pattern: '' },
    ],
  }
}

/** A row id of several fields goes by these, so that each part stays a range after equal values. */
function expand(
  { id }: ObjectModel,
  order: readonly Order[],
  place: CursorPlace | undefined,
): { readonly order: readonly Order[]; readonly start: CursorPlace | undefined } {
  const { parts } = id
  if (!parts) return { order, start: place }
  const before = order.filter(({ field }) => field !== id.name)
  const added = parts.filter(({ name }) => before.every(({ field }) => field !== name))
  const descending = order.some((each) => each.field === id.name && each.descending)
  const key = place && (readRowId(parts, place.at(-1) as string) ?? [])
  return {
    order: [...before, ...added.map(({ name }) => ({ field: name, descending }))],
    start: place && [...place.slice(0, -1), ...added.map((part) => key?.[parts.indexOf(part)] as FieldValue)],
  }
}

/** Records that follow a place and have the same values in some of the first fields of the order. */
interface Part {
  readonly where: Filter | undefined
  /** The fields that still differ. */
  readonly order: readonly Order[]
  /** All records have another value than this. */
  readonly behind?: { readonly field: ReadableField; readonly value: FieldValue }
}

/** What follows a place, in its order: first the records that differ in the last field only, then in the one before … */
function partsAfter(object: ObjectModel, order: readonly Order[], place: CursorPlace): Part[] {
  const fields = order.map(({ field }) => object.field(field) as ReadableField)
  const parts: Part[] = []
  const unique = fields.findIndex((field, at) => isUnique(object, field, place[at] as FieldValue))
  for (let at = unique < 0 ? fields.length - 1 : unique; at >= 0; at--) {
    const same = fields.slice(0, at).map((field, before) => equals(object, field, place[before] as FieldValue))
    for (const part of behind(
      object,
      enough(object, order.slice(at)),
      fields[at] as ReadableField,
      place[at] as FieldValue,
    ))
      parts.push({ ...part, where: and(...same, part.where) })
  }
  return parts
}

/** Records after a value of the first field of the order: empty ones come first when ascending, last when descending. */
function behind(object: ObjectModel, order: readonly Order[], field: ReadableField, value: FieldValue): Part[] {
  const { name } = field
  const { descending } = order[0] as Order
  if (field.columnType.kind === 'boolean') {
    return value === descending ? [{ where: { op: '=', field: name, value: !value }, order: order.slice(1) }] : []
  }
  const holdsBlanks = mayHoldBlanks(object, field)
  const rest = order.slice(1)
  if (isEmpty(value)) {
    if (descending) return holdsBlanks && value === '' ? [{ where: missing(name), order: rest }] : []
    const filled: Part = { where: { op: 'notNull', field: name }, order }
    return holdsBlanks && value === null ? [{ where: blank(name), order: rest }, filled] : [filled]
  }
  const range: Part = {
    where: { op: descending ? '<' : '>', field: name, value },
    order,
    behind: { field, value },
  }
  if (!descending || name === 'row_id') return [range]
  if (!holdsBlanks) return [range, { where: { op: 'null', field: name }, order: rest }]
  // Blanks alone are the same as an empty text in some collations.
  const empty: Filter = { op: 'and', terms: [blank(name), { op: '<>', field: name, value }] }
  return [range, { where: empty, order: rest }, { where: missing(name), order: rest }]
}

/** The order up to a field whose values are never empty and never the same: what follows would only hide its index. */
function enough(object: ObjectModel, order: readonly Order[]): readonly Order[] {
  const [key, ...more] = object.key
  const end = key && more.length === 0 ? order.findIndex(({ field }) => field === key.name) : -1
  return end < 0 ? order : order.slice(0, end + 1)
}

function equals(object: ObjectModel, field: ReadableField, value: FieldValue): Filter {
  const { name } = field
  if (isEmpty(value) && mayHoldBlanks(object, field)) return value === '' ? blank(name) : missing(name)
  return isEmpty(value) ? { op: 'null', field: name } : { op: '=', field: name, value }
}

/** No other record has this value, so nothing needs to be looked for besides it. */
function isUnique(object: ObjectModel, field: ReadableField, value: FieldValue): boolean {
  if (isJoined(field) || isEmpty(value)) return false
  return field === object.id || field.unique || (object.key.length === 1 && object.key[0] === field)
}

/**
 * A column of an existing table may hold more than its field shows, e.g. fractions of a second: then the record of the
 * cursor lies after itself, and pages would never end.
 */
function checkProgress(first: BusinessRecord | undefined, { field, value }: NonNullable<Part['behind']>): void {
  if (!first || compareValues(first[field.name] as FieldValue, value, field) !== 0) return
  throw new RestError(
    'ERR_BAD_REQUEST',
    `A cursor cannot go by "${field.name}": its column holds more than is shown. Sort by another field, or use pages.`,
  )
}
