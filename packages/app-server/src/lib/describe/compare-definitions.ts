import type { ColumnType, FieldModel, Introspection, Model, ObjectModel, ReferenceModel } from '@steward/rest-core'

/**
 * What a database has otherwise than the definitions say, in sentences; empty when both fit. Rules that definitions add (a
 * field that is required, a pattern, an e-mail address in a text) are no difference.
 *
 * @param described the model of what the database has; `own`: tables that need no object
 */
export function compareDefinitions(
  model: Model,
  described: Model,
  { skipped, own }: Pick<Introspection, 'skipped'> & { readonly own: ReadonlySet<string> },
): string[] {
  const there = byTable(described)
  const known = byTable(model)
  const leftOut = new Set(skipped.map(({ table, column }) => placeOf(table, column)))
  const differences: string[] = []
  for (const [table, objects] of known) {
    const actual = there.get(table)?.[0]
    if (actual) differences.push(...compareTable(objects, actual, leftOut))
    else if (!leftOut.has(placeOf(table)))
      differences.push(...objects.map(({ name, table: named }) => `Object ${name}: there is no table "${named}".`))
  }
  for (const [table, [actual]] of there) {
    if (!known.has(table) && !own.has(table)) differences.push(`Table "${actual?.table}" has no object.`)
  }
  return differences
}

function byTable({ objects }: Model): Map<string, ObjectModel[]> {
  return Map.groupBy(objects.values(), ({ table }) => placeOf(table))
}

function placeOf(table: string, column?: string): string {
  return column === undefined ? table.toLowerCase() : `${table}\0${column}`.toLowerCase()
}

/** All objects of one table. */
function compareTable(objects: readonly ObjectModel[], actual: ObjectModel, leftOut: ReadonlySet<string>): string[] {
  const columns = new Map(fieldsOf(actual).map((field) => [field.column.toLowerCase(), field]))
  const used = new Set(objects.flatMap((object) => fieldsOf(object).map(({ column }) => column.toLowerCase())))
  return [
    ...objects.flatMap((object) =>
      fieldsOf(object).flatMap((field) => {
        const there = columns.get(field.column.toLowerCase())
        const place = `${object.name}.${field.name}`
        if (there) return compareField(field, there).map((text) => `Field ${place}: ${text}.`)
        if (leftOut.has(placeOf(object.table, field.column))) return []
        return [`Field ${place}: table "${object.table}" has no column "${field.column}".`]
      }),
    ),
    ...[...columns.values()]
      .filter(({ column }) => !used.has(column.toLowerCase()))
      .map((field) => `Table "${actual.table}": column "${field.column}" (${typeText(field)}) has no field.`),
  ]
}

function fieldsOf({ id, fields, technical }: ObjectModel): readonly FieldModel[] {
  return [id, ...fields, ...technical]
}

function compareField(field: FieldModel, there: FieldModel): string[] {
  // An id is whatever the definition says, as long as its column is there.
  if (field === field.object.id || there === there.object.id) return []
  return [compareType(field, there), ...compareRules(field, there)].filter((text) => text !== undefined)
}

function compareType(field: FieldModel, there: FieldModel): string | undefined {
  if (isSame(field, there)) return undefined
  return `the column is ${typeText(there)}, the field ${typeText(field)}`
}

function isSame(field: FieldModel, there: FieldModel): boolean {
  const [wanted, actual] = [field.definition, there.definition]
  if (wanted.type === 'reference' && actual.type === 'reference') return targetOf(field) === targetOf(there)
  // A number that means yes or no.
  if (wanted.type === 'boolean' && actual.type === 'integer') return true
  if (kindOf(field.columnType) !== kindOf(there.columnType)) return false
  const [own, other] = [sizeOf(field), sizeOf(there)]
  return own === undefined || other === undefined || own === other
}

function targetOf(field: FieldModel): string {
  return (field as ReferenceModel).target.table.toLowerCase()
}

/** Kinds of columns whose values are the same in records. */
function kindOf({ kind }: ColumnType): string {
  return kind === 'string' ? 'text' : kind
}

/** Characters, or digits in all and after the point; undefined where nothing limits them, or a list does. */
function sizeOf({ columnType, definition, codes }: FieldModel): string | undefined {
  if (codes) return undefined
  // A column of 64 bits holds all numbers of 18 digits, and some of 19.
  if (columnType.kind === 'integer') return String(columnType.precision === 19 ? 18 : columnType.precision)
  if (columnType.kind === 'decimal')
    return columnType.storage ? undefined : `${columnType.precision},${columnType.scale}`
  if (columnType.kind === 'datetime' || columnType.kind === 'time')
    return columnType.precision === undefined ? '0' : String(columnType.precision)
  const length = 'length' in definition ? definition.length : undefined
  if (columnType.kind === 'string') return String(length ?? columnType.length)
  return length === undefined ? undefined : String(length)
}

function typeText(field: FieldModel): string {
  const { definition } = field
  if (definition.type === 'reference') return `a reference to ${definition.object}`
  const size = sizeOf(field)
  return size === undefined || size === '0' ? definition.type : `${definition.type}(${size})`
}

function compareRules(field: FieldModel, there: FieldModel): (string | undefined)[] {
  const { definition: wanted } = field
  const { definition: actual } = there
  const isFilled =
    field.required || field.key || wanted.readOnly || wanted.default !== undefined || field.type.name === 'boolean'
  return [
    there.required && !there.key && !isFilled
      ? 'the column takes no empty values, and the field is not required'
      : undefined,
    (there.unique || (there.key && there.object.key.length === 1)) && !field.unique && !field.key
      ? 'no two rows have the same value, and the field is not unique'
      : undefined,
    actual.readOnly === true && wanted.readOnly !== true && !field.object.readOnly
      ? 'the database computes the column, and the field is not read-only'
      : undefined,
    ...compareValues(field, there),
  ]
}

function compareValues({ codes: wanted }: FieldModel, { codes: actual }: FieldModel): string[] {
  if (!wanted || !actual) return []
  const added = [...actual.keys()].filter((code) => !wanted.has(code))
  const gone = [...wanted.keys()].filter((code) => !actual.has(code))
  return [
    ...(added.length > 0 ? [`the column also takes ${quoted(added)}`] : []),
    ...(gone.length > 0 ? [`the column does not take ${quoted(gone)}`] : []),
  ]
}

function quoted(codes: readonly string[]): string {
  return codes.map((code) => `"${code}"`).join(', ')
}
