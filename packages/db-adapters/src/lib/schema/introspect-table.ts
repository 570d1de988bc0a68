import { filterKeywords } from '@steward/rest-core'
import type { FieldDefinition, ObjectDefinition } from '@steward/rest-core'
import type { SchemaDialect } from './dialect.js'
import type { FoundKey } from './identify-rows.js'
import { defaultOf, fieldTypeOf, idValuesOf } from './introspect-column.js'
import { isSame, keyOf, severalOf, uniqueColumns } from './introspect-keys.js'
import { nameOf, referencesOf } from './introspect-references.js'
import { displayOf } from './introspect-display.js'
import { fieldName, uniqueNames } from './object-names.js'
import type { ServedTable } from './served-table.js'
import type { ColumnInfo, ForeignKeyInfo, TableInfo } from './table-info.js'

const technical: Readonly<Record<string, 'datetime' | 'string'>> = {
  created_dt: 'datetime',
  created_by: 'string',
  updated_dt: 'datetime',
  updated_by: 'string',
}

/** What of a table can be served, or why nothing. */
export function serve(
  info: TableInfo,
  object: string,
  dialect: SchemaDialect,
  found: FoundKey | string | undefined,
): ServedTable | string {
  const reason = whyNot(info, dialect)
  if (reason !== undefined) return reason
  if (typeof found === 'string') return found
  const id = idOf(found ? { ...info, primaryKey: found.columns } : info, dialect)
  if (typeof id === 'string') return id

  const timestamps = Object.entries(technical).every(([name, kind]) =>
    info.columns.some((column) => column.name === name && column.type.kind === kind && column.isReadable !== false),
  )
  const giveName = uniqueNames(['row_id', ...Object.keys(technical), ...filterKeywords], '_')
  const fields = new Map<string, { name: string; column: ColumnInfo }>()
  const leftOut: { column: string; reason: string }[] = []
  const mapped = id.columns.length === 1 ? id.columns[0] : undefined
  const spellings = new Map(mapped === undefined ? [] : [[mapped.toLowerCase(), mapped]])
  for (const column of info.columns) {
    if (column.name === mapped || (timestamps && column.name in technical)) continue
    const twin = spellings.get(column.name.toLowerCase())
    const without =
      column.isReadable === false
        ? notReadable
        : info.wordIndexes.some((index) => index.column === column.name)
          ? 'it holds the words of an index search'
          : twin !== undefined
            ? `its name differs from "${twin}" by case only`
            : fieldTypeOf(column.type, false, dialect.introspection)
              ? undefined
              : `no field has the type ${column.declaration}`
    if (without !== undefined) {
      leftOut.push({ column: column.name, reason: without })
      continue
    }
    spellings.set(column.name.toLowerCase(), column.name)
    fields.set(column.name, { name: giveName(fieldName(column.name)), column })
  }
  if (fields.size === 0) {
    // An object has a field at least, and the column of the row id is all that there is.
    const only = info.columns.find(({ name }) => name === mapped)
    if (!only) return 'it has no columns that could be served'
    fields.set(only.name, { name: giveName(fieldName(only.name)), column: { ...only, generated: true } })
  }
  const isGuessed = found?.isGuess ?? false
  return { info, object, id, fields, timestamps, isGuessed, key: keyOf(info, fields, dialect.introspection), leftOut }
}

const notReadable = `the database's user may not read it`

function whyNot({ kind, name, schema, columns, unreadable }: TableInfo, { types }: SchemaDialect): string | undefined {
  const bare = schema === undefined ? name : name.slice(schema.length + 1)
  if (kind === 'virtual') return 'it is a virtual table'
  if (unreadable !== undefined) return `reading it fails: ${unreadable}`
  if (columns.length > 0 && columns.every(({ isReadable }) => isReadable === false)) return notReadable
  return types.schemasInNames && `${schema ?? ''}${bare}`.includes('.')
    ? 'a dot in its name would separate a schema'
    : undefined
}

function idOf(info: TableInfo, { introspection }: SchemaDialect): ServedTable['id'] | string {
  const hidden = info.columns.find((each) => each.isReadable === false && info.primaryKey.includes(each.name))
  if (hidden) return `the database's user may not read "${hidden.name}" of its primary key`
  const [name, ...others] = info.primaryKey
  const column = info.columns.find((each) => each.name === name)
  const values = column && others.length === 0 ? idValuesOf(column) : undefined
  if (column && values) {
    const assigned = column.autoIncrement || (column.hasDefault && introspection.defaultIdsAreKnown)
    const takesUuid = values === 'uuid' || (column.type.kind === 'string' && column.type.length === 36)
    return { columns: [column.name], values, assigned, takesUuid }
  }
  const key = severalOf(info, introspection)
  if (Array.isArray(key)) return { columns: key, values: 'string', assigned: false, takesUuid: false }
  if (info.implicitId !== undefined)
    return { columns: [info.implicitId], values: 'integer', assigned: true, takesUuid: false }
  if (name === undefined) return 'it has no primary key'
  if (key !== undefined) return key
  if (!column) return `its primary key "${name}" is none of its columns`
  return `its primary key "${name}" is neither a whole number of 64 bits nor a text (${column.declaration})`
}

/** The definition of a served table. `find` gives the served table of that name. */
export function define(
  table: ServedTable,
  find: (name: string) => ServedTable | undefined,
  dialect: SchemaDialect,
): ObjectDefinition {
  const { id, info, object, key } = table
  const unique = uniqueColumns(info)
  const several = id.columns.length > 1
  const mayWrite = ({ isWritable }: ColumnInfo): boolean => isFixed(table) || isWritable !== false
  const idColumn = info.columns.find(({ name }) => name === id.columns[0])
  const isGiven = !isFixed(table) && (idColumn === undefined || mayWrite(idColumn))
  const fields: Record<string, FieldDefinition> = {}
  if (several) fields['row_id'] = { type: 'id', fields: id.columns.map((column) => nameOf(table, column)) }
  else
    fields['row_id'] = {
      type: 'id',
      column: id.columns[0],
      ...(id.values === 'integer' ? {} : { values: id.values }),
      // The database gives none, so the client must, where a UUID would not do.
      ...(id.assigned || !isGiven ? {} : { readOnly: false }),
      ...(id.assigned || id.takesUuid || !isGiven ? {} : { required: true }),
    }
  for (const { name, column } of table.fields.values()) {
    const isKey = key.includes(column.name)
    const isId = several && id.columns.includes(column.name)
    const reference = referenceOf(info, column, find, isKey || isId)
    const type = reference ?? fieldTypeOf(column.type, isKey || unique.has(column.name), dialect.introspection)
    const filled = column.nullable || column.hasDefault || column.generated || !mayWrite(column)
    const isBoolean = type?.type === 'boolean'
    const isBytes = type?.type === 'document'
    const isText = (type?.type === 'string' && type.pattern === undefined) || type?.type === 'text'
    const initial =
      isBoolean && !filled ? false : isFixed(table) || !mayWrite(column) || !type ? undefined : defaultOf(column, type)
    fields[name] = {
      ...type,
      ...textsOf(column.comment),
      ...(name === column.name ? {} : { column: column.name }),
      // The functional key of a row id of several fields is these.
      ...(isKey && !isSame(key, id.columns) ? { key: true } : {}),
      ...(!isKey && !isBytes && unique.has(column.name) ? { unique: true } : {}),
      ...(isKey || isId || filled || isBoolean || takesBlank(column) || reference?.onDelete === 'setNull'
        ? {}
        : { required: true }),
      ...(isText && !column.nullable && !column.generated && mayWrite(column) && !isKey && !isId
        ? { allowEmpty: true }
        : {}),
      ...(initial === undefined ? {} : { default: initial }),
      ...(isBytes ? {} : indexOf(info, column.name, reference !== undefined, isKey)),
      ...(column.generated || !mayWrite(column) ? { readOnly: true } : {}),
    } as FieldDefinition
  }
  Object.assign(fields, referencesOf(table, find, fields))
  return {
    name: object,
    ...textsOf(info.comment),
    table: info.name,
    ...(table.timestamps ? {} : { timestamps: false }),
    ...(isFixed(table) ? { readOnly: true } : {}),
    fields,
  }
}

/** Writes that go by a column that other rows may share are left to triggers, whose owner knows what they do. */
export function isFixed({ info, isGuessed }: ServedTable): boolean {
  if (info.isWritable === false) return true
  if (info.writtenBy === 'triggers') return false
  return isGuessed || (info.kind !== 'table' && info.writtenBy === undefined)
}

/** A list that has the empty text: what is not chosen is that. */
function takesBlank({ type }: ColumnInfo): boolean {
  return type.kind === 'enum' && type.values.includes('')
}

/** Longest label. Not specified; chosen because it heads a column of a list. */
const longestLabel = 40

/** The comment of the table's owner: a few words are its name for people, sentences are help. */
function textsOf(comment: string | undefined): { label?: string; help?: string } {
  const text = comment?.trim() ?? ''
  if (text === '') return {}
  return text.length <= longestLabel && !/[\n.;:!?]/.test(text) ? { label: text } : { help: text }
}

type Reference = Extract<FieldDefinition, { type: 'reference' }>

/** A foreign key of this column alone, to the row id of a table that is served. */
function referenceOf(
  info: TableInfo,
  column: ColumnInfo,
  find: (name: string) => ServedTable | undefined,
  isKey: boolean,
): Reference | undefined {
  const fits = (key: ForeignKeyInfo): boolean =>
    key.columns.length === 1 && key.columns[0] === column.name && isSame(key.targetColumns, find(key.table)?.id.columns)
  const key = info.foreignKeys.find(fits)
  const target = key && find(key.table)
  if (!key || !target) return undefined
  const reference: Reference = { type: 'reference', object: target.object, display: displayOf(target) }
  const { onDelete } = key
  return onDelete === 'cascade' || (onDelete === 'setNull' && !isKey) ? { ...reference, onDelete } : reference
}

/** References have an index and others have none, unless they say otherwise. */
function indexOf(info: TableInfo, column: string, isReference: boolean, isKey: boolean): { index?: boolean } {
  if (isKey) return {}
  const first = info.indexes.filter(({ columns, plain }) => plain && columns[0] === column)
  if (!isReference) return first.some(({ unique, columns }) => !(unique && columns.length === 1)) ? { index: true } : {}
  return first.length > 0 || info.primaryKey[0] === column ? {} : { index: false }
}
