import { StoreError } from '@steward/rest-core/errors'
import { tableObjects } from '@steward/rest-core'
import type { ColumnType, FieldModel, Model, ObjectModel, ReferenceModel } from '@steward/rest-core'
import { keyColumns } from '../sql/columns.js'
import type { ReferenceRule } from './changes.js'

/** A table as the model wants it. Objects of the same table are taken together. */
export interface WantedTable {
  readonly name: string
  readonly renamedFrom: string | undefined
  /**
   * The table belongs to another owner (the definition maps its row id): columns that no field uses are the owner's, and
   * columns that are wider than needed, or of another type that serves as well, stay as they are.
   */
  readonly mapped: boolean
  readonly objects: readonly string[]
  /** Undefined where `key` identifies rows. */
  readonly id: { readonly name: string; readonly values: 'integer' | 'string' } | undefined
  /** Columns that identify rows together; empty where `id` does. */
  readonly key: readonly string[]
  /** Without the row id. */
  readonly columns: readonly WantedColumn[]
  readonly uniques: readonly WantedUnique[]
  /** Columns that filters need an index for; several for references of several columns. */
  readonly indexed: readonly (readonly string[])[]
  readonly links: readonly WantedLink[]
  /** Columns of words. */
  readonly words: readonly string[]
}

/** A reference, by one column or several. */
export interface WantedLink {
  readonly columns: readonly string[]
  readonly table: string
  readonly targetColumns: readonly string[]
  readonly onDelete: ReferenceRule
}

export interface WantedUnique {
  readonly columns: readonly string[]
  /** It is the functional key. */
  readonly key: boolean
}

export interface WantedColumn {
  readonly name: string
  readonly type: ColumnType
  readonly renamedFrom: string | undefined
  /** The column whose values it holds. */
  readonly reference: { readonly table: string; readonly column: string } | undefined
}

/** @throws StoreError `schema` when two objects of one table contradict each other. */
export function wantedTables(
  model: Model,
  fold: (name: string) => string,
  ruleOf: RuleOf = ({ onDelete }) => onDelete,
): WantedTable[] {
  const groups = Map.groupBy(tableObjects(model), ({ table }) => fold(table))
  return [...groups.values()].map((objects) => wantedTable(objects as [ObjectModel, ...ObjectModel[]], ruleOf))
}

type RuleOf = (reference: ReferenceModel) => ReferenceRule

function wantedTable(objects: readonly [ObjectModel, ...ObjectModel[]], ruleOf: RuleOf): WantedTable {
  const [first, ...others] = objects
  const strange = others.find(
    ({ id }) => keyColumns(id).join('\0') !== keyColumns(first.id).join('\0') || valuesOf(id) !== valuesOf(first.id),
  )
  if (strange) {
    const text = `Objects "${first.name}" and "${strange.name}" share table "${first.table}" but not their row id. Give both the same field "row_id".`
    throw new StoreError('schema', text)
  }
  const words = objects.flatMap(({ index }) => (index ? [index.words] : []))
  const own = objects.flatMap((object) => [...object.fields, ...object.technical])
  const kept = own.filter(({ column, parts }) => !parts && (first.id.parts || column !== first.id.column))
  const fields = [...kept, ...words]
  const references = own.filter(isReference)
  // What the primary key is needs no index of its own.
  const keys = objects
    .filter(({ key, id }) => key.length > 0 && key !== id.parts)
    .map(({ key }) => ({ columns: key.map(({ column }) => column), key: true }))
  const single = fields.filter(({ unique }) => unique).map(({ column }) => ({ columns: [column], key: false }))
  return {
    name: first.table,
    renamedFrom: objects.find(({ definition }) => definition.renamedFrom !== undefined)?.definition.renamedFrom,
    mapped: objects.some((object) => object.isMapped),
    objects: objects.map(({ name }) => name),
    id: first.id.parts ? undefined : { name: first.id.column, values: valuesOf(first.id) },
    key: first.id.parts ? keyColumns(first.id) : [],
    columns: [...new Map(fields.map((field) => [field.column, wantedColumn(field, references)])).values()],
    uniques: distinctUniques([...single, ...keys]),
    indexed: distinct([...fields, ...references].filter(isIndexed).map(keyColumns)),
    links: references.map((reference) => linkOf(reference, ruleOf)),
    words: [...new Set(words.map(({ column }) => column))],
  }
}

function linkOf(reference: ReferenceModel, ruleOf: RuleOf): WantedLink {
  const { target } = reference
  return {
    columns: keyColumns(reference),
    table: target.table,
    targetColumns: keyColumns(target.id),
    onDelete: ruleOf(reference),
  }
}

function wantedColumn(field: FieldModel, references: readonly ReferenceModel[]): WantedColumn {
  const { definition } = field
  return {
    name: field.column,
    type: withLength(field),
    renamedFrom: definition.renamedFrom,
    reference: isReference(field)
      ? { table: field.target.table, column: field.target.id.column }
      : references.map((reference) => heldBy(field, reference)).find((held) => held !== undefined),
  }
}

/** What a column holds that is part of a reference of several. */
function heldBy(field: FieldModel, { parts = [], target }: ReferenceModel): WantedColumn['reference'] {
  const column = target.id.parts?.[parts.indexOf(field)]?.column
  return column === undefined ? undefined : { table: target.table, column }
}

/** An existing column for texts may have a limit, and the definition may say so; new columns for texts have none. */
function withLength(field: FieldModel): ColumnType {
  const { columnType, definition } = field
  const length = 'length' in definition ? definition.length : undefined
  return columnType.kind === 'text' && length !== undefined && field.object.isMapped
    ? { kind: 'string', length }
    : columnType
}

function isIndexed(field: FieldModel): boolean {
  return field.indexed || (isReference(field) && field.definition.index !== false)
}

function isReference(field: FieldModel): field is ReferenceModel {
  return field.definition.type === 'reference'
}

function valuesOf(id: FieldModel): 'integer' | 'string' {
  return id.columnType.kind === 'id' ? id.columnType.values : 'integer'
}

function distinct(lists: readonly (readonly string[])[]): (readonly string[])[] {
  return [...new Map(lists.map((columns) => [columns.join('\0'), columns])).values()]
}

/** One index per set of columns; a key comes last and wins. */
function distinctUniques(uniques: readonly WantedUnique[]): WantedUnique[] {
  return [...new Map(uniques.map((unique) => [unique.columns.toSorted().join('\0'), unique])).values()]
}
