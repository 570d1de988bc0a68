import { StoreError } from '@steward/rest-core/errors'
import type { ColumnType, FieldModel, Model, ObjectModel } from '@steward/rest-core'
import type { ReferenceRule } from './changes.js'

/** A table as the model wants it. Objects of the same table are taken together. */
export interface WantedTable {
  readonly name: string
  readonly renamedFrom: string | undefined
  /**
   * The table belongs to somebody else (the definition maps its row id): columns that no field uses are the owner's, and
   * columns that are wider than needed, or of another type that serves as well, stay as they are.
   */
  readonly mapped: boolean
  readonly objects: readonly string[]
  readonly id: { readonly name: string; readonly values: 'integer' | 'string' }
  /** Without the row id. */
  readonly columns: readonly WantedColumn[]
  readonly uniques: readonly WantedUnique[]
  /** Columns that filters need an index for. */
  readonly indexed: readonly string[]
  /** Columns of words. */
  readonly words: readonly string[]
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
  readonly reference: { readonly table: string; readonly column: string; readonly onDelete: ReferenceRule } | undefined
}

/** @throws StoreError `schema` when two objects of one table contradict each other. */
export function wantedTables(model: Model, fold: (name: string) => string): WantedTable[] {
  const groups = Map.groupBy(model.objects.values(), ({ table }) => fold(table))
  return [...groups.values()].map((objects) => wantedTable(objects as [ObjectModel, ...ObjectModel[]]))
}

function wantedTable(objects: readonly [ObjectModel, ...ObjectModel[]]): WantedTable {
  const [first, ...others] = objects
  const strange = others.find(({ id }) => id.column !== first.id.column || valuesOf(id) !== valuesOf(first.id))
  if (strange) {
    const text = `Objects "${first.name}" and "${strange.name}" share table "${first.table}" but not their row id. Give both the same field "row_id".`
    throw new StoreError('schema', text)
  }
  const words = objects.flatMap(({ index }) => (index ? [index.words] : []))
  const own = objects.flatMap((object) => [...object.fields, ...object.technical])
  const fields = [...own.filter(({ column }) => column !== first.id.column), ...words]
  const keys = objects
    .filter(({ key }) => key.length > 0)
    .map(({ key }) => ({ columns: key.map(({ column }) => column), key: true }))
  const single = fields.filter(({ unique }) => unique).map(({ column }) => ({ columns: [column], key: false }))
  return {
    name: first.table,
    renamedFrom: objects.find(({ definition }) => definition.renamedFrom !== undefined)?.definition.renamedFrom,
    mapped: objects.some(isMapped),
    objects: objects.map(({ name }) => name),
    id: { name: first.id.column, values: valuesOf(first.id) },
    columns: [...new Map(fields.map((field) => [field.column, wantedColumn(field)])).values()],
    uniques: distinct([...single, ...keys]),
    indexed: [...new Set(fields.filter(isIndexed).map(({ column }) => column))],
    words: [...new Set(words.map(({ column }) => column))],
  }
}

function wantedColumn(field: FieldModel): WantedColumn {
  const { definition } = field
  return {
    name: field.column,
    type: withLength(field),
    renamedFrom: definition.renamedFrom,
    reference: isReference(field)
      ? { table: field.target.table, column: field.target.id.column, onDelete: field.onDelete }
      : undefined,
  }
}

/** An existing column for texts may have a limit, and the definition may say so; new columns for texts have none. */
function withLength(field: FieldModel): ColumnType {
  const { columnType, definition } = field
  const length = 'length' in definition ? definition.length : undefined
  return columnType.kind === 'text' && length !== undefined && isMapped(field.object)
    ? { kind: 'string', length }
    : columnType
}

function isMapped({ definition }: ObjectModel): boolean {
  return definition.fields.row_id !== undefined
}

function isIndexed(field: FieldModel): boolean {
  return field.indexed || (isReference(field) && field.definition.index !== false)
}

function isReference(field: FieldModel): field is ObjectModel['references'][number] {
  return field.definition.type === 'reference'
}

function valuesOf(id: FieldModel): 'integer' | 'string' {
  return id.columnType.kind === 'id' ? id.columnType.values : 'integer'
}

/** One index per set of columns; a key comes last and wins. */
function distinct(uniques: readonly WantedUnique[]): WantedUnique[] {
  return [...new Map(uniques.map((unique) => [unique.columns.toSorted().join('\0'), unique])).values()]
}
