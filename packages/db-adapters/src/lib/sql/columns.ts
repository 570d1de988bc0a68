import { isEmpty, isJoined } from '@steward/rest-core'
import type { ColumnType, FieldValue, ObjectModel, ReadableField, ReferenceModel } from '@steward/rest-core'
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
  /** What an empty value is in records. */
  readonly empty: FieldValue
  /** References to follow; empty for the object's own columns. */
  readonly path: readonly ReferenceModel[]
  /** For the driver; empty values are NULL. @throws StoreError `value` */
  readonly encode: (value: FieldValue) => unknown
}

/** The expression of a column; `guarded`: joined rows must match their guards. */
export type PlaceOf = (column: Column, guarded?: boolean) => string

/** Columns of one object. */
export interface Columns {
  /** Distinct per object model in this process. */
  readonly number: number
  readonly id: Column
  readonly idValues: 'integer' | 'string'
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
  const all = byName([...readable, ...own])
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
    idValues: id.type.kind === 'id' ? id.type.values : 'string',
    readable: (name) => found(all.get(name) ?? pathColumn(name), name),
    writable: (name) => found(writable.get(name), name),
  }
}

/** @param factsOf Of a column in the field's table. */
export function columnOf(
  field: ReadableField,
  dialect: Dialect,
  factsOf?: (column: string) => ColumnFacts | undefined,
): Column {
  const { column, columnType } = isJoined(field) ? field.field : field
  const facts = factsOf?.(column)
  // Behind a link that is missing every column is NULL.
  const type: StoredType =
    facts && field.path.length > 0
      ? { ...columnType, facts: { ...facts, required: false, plainOrder: false } }
      : facts
        ? { ...columnType, facts }
        : columnType
  return {
    name: field.name,
    column,
    type,
    empty: field.type.empty,
    patterns: dialect.patternsOf?.(type) ?? 1,
    path: field.path,
    encode: isIntegerKey(type) ? encodeKey : (value) => (isEmpty(value) ? null : dialect.encode(value, type)),
  }

  function encodeKey(value: FieldValue): unknown {
    if (isEmpty(value)) return null
    if (!isIntegerId(value as string))
      throw new StoreError(
        'value',
        `Cannot use ${JSON.stringify(value)} as a row id for "${field.name}": it is not a whole number of 64 bits.`,
      )
    return dialect.encode(value, type)
  }
}

function isIntegerKey(type: ColumnType): boolean {
  return (type.kind === 'id' || type.kind === 'reference') && type.values === 'integer'
}

function byName(columns: readonly Column[]): ReadonlyMap<string, Column> {
  return new Map(columns.map((column) => [column.name, column]))
}
