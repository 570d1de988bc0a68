import { bytesDigits, isEmpty, isJoined, isUnfilled, keyTextOf } from '@steward/rest-core'
import type { ColumnType, FieldModel, FieldValue, ObjectModel, ReadableField, ReferenceModel } from '@steward/rest-core'
import { StoreError } from '@steward/rest-core/errors'
import { LRUCache } from 'lru-cache'
import type { Dialect, StoredType } from './dialect.js'
import type { ColumnFacts, TableFacts } from './facts.js'
import { isIntegerId } from './row-id.js'

/** A readable or writable field as statements need it. */
export interface Column {
  readonly name: string
  /** Column in the table at the end of `path`. */
  readonly column: string
  readonly type: StoredType
  /** How often a pattern stands in a condition on it. */
  readonly patterns: number
  /** A pattern as it is bound. */
  readonly pattern: ((pattern: string) => string) | undefined
  /** Lists from this length on are bound as one JSON text. */
  readonly longList: number
  /** What an empty value is in records. */
  readonly empty: FieldValue
  /** The parts of a row id or reference of several fields, which has no column itself. */
  readonly parts: readonly KeyPart[] | undefined
  /** References to follow; empty for the object's own columns. */
  readonly path: readonly ReferenceModel[]
  /** For the driver; empty values are NULL. @throws StoreError `value` */
  readonly encode: (value: FieldValue) => unknown
}

/** One column of a row id of several. */
export interface KeyPart {
  readonly field: FieldModel
  readonly read: Column
  /** For conditions: an empty text is a value like any other. */
  readonly test: Column
  /** Its text in the row id. */
  readonly text: (value: FieldValue) => string
}

/** The expression of a column; `guarded`: joined rows must match their guards. */
export type PlaceOf = (column: Column, guarded?: boolean) => string

/** Columns of one object. */
export interface Columns {
  /** Distinct per object model in this process. */
  readonly number: number
  readonly id: Column
  readonly idValues: 'integer' | 'string' | 'fields'
  /** By name: everything that may be read, sorted, filtered, also by paths. @throws TypeError when there is none */
  readable(name: string): Column
  /** By name: row id, own and technical fields, words. @throws TypeError when there is none */
  writable(name: string): Column
}

/** Clients choose them. */
const mostPaths = 1_000

let objects = 0

export function columnsOf(object: ObjectModel, dialect: Dialect, facts?: TableFacts): Columns {
  const known = (field: ReadableField): Column => {
    const table = field.path.at(-1)?.target.table ?? object.table
    return columnOf(field, dialect, facts && ((column) => facts.of(table, column)))
  }
  const words = object.index ? [object.index.words] : []
  const own = [object.id, ...object.fields, ...object.technical, ...words].map((field) => known(field))
  const readable = [...object.readable.values()].map((field) => known(field))
  const writable = byName(own)
  const contents = object.documents.flatMap(({ content }) => (content ? [known(content)] : []))
  const all = byName([...readable, ...own, ...contents])
  const id = known(object.id)
  const paths = new LRUCache<string, Column>({ max: mostPaths })
  const found = (column: Column | undefined, name: string): Column => {
    if (!column) throw new TypeError(`Object "${object.name}" has no field "${name}" for this.`)
    return column
  }
  const pathColumn = (name: string): Column | undefined => {
    const kept = paths.get(name)
    if (kept) return kept
    const field = object.field(name)
    if (!field) return undefined
    const column = known(field)
    paths.set(name, column)
    return column
  }
  return {
    number: ++objects,
    id,
    idValues: id.parts ? 'fields' : id.type.kind === 'id' ? id.type.values : 'string',
    readable: (name) => found(all.get(name) ?? keyColumn(name) ?? pathColumn(name), name),
    writable: (name) => found(writable.get(name), name),
  }

  /** A column of a key, by the name that conditions on the key give it. */
  function keyColumn(name: string): Column | undefined {
    const end = name.indexOf(' ')
    const whole = end < 0 ? undefined : (all.get(name.slice(0, end)) ?? pathColumn(name.slice(0, end)))
    return whole?.parts?.find(({ test }) => test.name === name)?.test
  }
}

/** @param factsOf Of a column in the field's table. */
export function columnOf(
  field: ReadableField,
  dialect: Dialect,
  factsOf?: (column: string) => ColumnFacts | undefined,
): Column {
  const own = isJoined(field) ? field.field : field
  const { column, columnType } = own
  const isFilled = !isJoined(field) && own.object.id.parts?.includes(own) === true
  const known = factsOf?.(column)
  // No column of a key is ever NULL, and its index keeps it in plain order.
  const facts = isFilled ? { ...known, required: true, plainOrder: true } : known
  // Through a missing link every column is NULL.
  const stored: StoredType =
    facts && field.path.length > 0
      ? { ...columnType, facts: { ...facts, required: false, plainOrder: false } }
      : facts
        ? { ...columnType, facts }
        : columnType
  const type: StoredType = columnType.kind === 'boolean' && own.object.isMapped ? { ...stored, loose: true } : stored
  const blank = isBlankable(own, facts) ? '' : null
  return {
    name: field.name,
    column,
    type,
    parts: own.parts?.map((part) => keyPart(part, field, dialect, factsOf)),
    empty: field.type.empty,
    patterns: dialect.patternsOf?.(type) ?? 1,
    pattern: dialect.pattern,
    longList: dialect.longList?.from ?? Infinity,
    path: field.path,
    encode: isIntegerKey(type)
      ? encodeKey
      : type.kind === 'bytes'
        ? encodeBytes
        : (value) => (isUnfilled(value, own) ? blank : dialect.encode(value, type)),
  }

  function encodeBytes(value: FieldValue): unknown {
    if (isEmpty(value)) return null
    const digits = bytesDigits(value)
    return dialect.encodeBytes ? dialect.encodeBytes(digits) : digits
  }

  function encodeKey(value: FieldValue): unknown {
    if (isEmpty(value)) return null
    if (!isIntegerId(value as string, dialect.largestId))
      throw new StoreError(
        'value',
        `Cannot use ${JSON.stringify(value)} as a row id for "${field.name}": it is not a whole number of 64 bits.`,
      )
    return dialect.encode(value, type)
  }
}

function keyPart(
  part: FieldModel,
  { name, path }: ReadableField,
  dialect: Dialect,
  factsOf: ((column: string) => ColumnFacts | undefined) | undefined,
): KeyPart {
  const { columnType } = part
  const own = columnOf(part, dialect, factsOf)
  const type: StoredType =
    own.type.facts && path.length > 0
      ? { ...own.type, facts: { ...own.type.facts, required: false, plainOrder: false } }
      : own.type
  const read = { ...own, type, path }
  const test: Column = {
    ...read,
    name: `${name} ${part.name}`,
    type: isText(columnType) ? { kind: 'id', values: 'string', facts: type.facts } : type,
    encode: (value) => dialect.encode(value, columnType),
  }
  return { field: part, read, test, text: keyTextOf(columnType) }
}

/** Whether an empty text of the field is stored as one, because its column takes no NULL. */
function isBlankable({ columnType, object, allowsEmpty }: FieldModel, facts: ColumnFacts | undefined): boolean {
  const isKept = allowsEmpty || (object.isMapped && facts?.required === true)
  return isKept && isText(columnType) && !facts?.neverBlank
}

function isText({ kind }: ColumnType): boolean {
  return kind === 'string' || kind === 'text'
}

/** The columns that a statement selects for these, and at which of them each finds its values. */
export function readsOf(columns: readonly Column[]): {
  readonly reads: readonly Column[]
  readonly places: readonly (readonly number[])[]
} {
  if (columns.every(({ parts }) => !parts)) return { reads: columns, places: columns.map((_, at) => [at]) }
  const reads = columns.filter(({ parts }) => !parts)
  const places = columns.map((column) => {
    if (!column.parts) return [reads.indexOf(column)]
    return column.parts.map(({ read }) => {
      const there = reads.findIndex((each) => each.column === read.column && isSamePath(each.path, read.path))
      return there < 0 ? reads.push(read) - 1 : there
    })
  })
  return { reads, places }
}

function isSamePath(a: readonly ReferenceModel[], b: readonly ReferenceModel[]): boolean {
  return a.length === b.length && a.every((reference, at) => reference === b[at])
}

/** The columns that hold a row id or a reference, in the order of the key. */
export function keyColumns({ column, parts }: FieldModel): readonly string[] {
  return parts ? parts.map((part) => part.column) : [column]
}

function isIntegerKey(type: ColumnType): boolean {
  return (type.kind === 'id' || type.kind === 'reference') && type.values === 'integer'
}

function byName(columns: readonly Column[]): ReadonlyMap<string, Column> {
  return new Map(columns.map((column) => [column.name, column]))
}

/** Columns of a row id that tell rows apart: not booleans of tables that others made, as which 1 and -1 are the same. */
export function exactKeyColumns({ column, parts, object }: FieldModel): readonly string[] {
  if (!parts) return [column]
  return parts
    .filter(({ columnType }) => !(object.isMapped && columnType.kind === 'boolean'))
    .map((part) => part.column)
}
