import type { EnumField, FieldDefinition, MultiEnumField, ObjectDefinition } from '../definition/definition.js'
import { fieldTypes } from '../fields/index.js'

const objectName = /^[A-Za-z][A-Za-z0-9_]{0,62}$/
const fieldName = /^[A-Za-z][A-Za-z0-9_]{0,62}$/
/** Words of the filter language; a field of that name could not stand in an expression. */
const keywords = new Set(['and', 'or', 'not', 'like', 'is', 'in', 'null'])
const reserved = new Set(['created_dt', 'created_by', 'updated_dt', 'updated_by'])

/**
 * Every mistake in these definitions that can be seen before they are linked, as `Object.field: what is wrong`.
 * Display chains and sorts are checked when the model is linked.
 */
export function checkDefinitions(definitions: readonly ObjectDefinition[]): string[] {
  const problems: string[] = []
  const names = new Set<string>()
  const foldedNames = new Map<string, string>()
  for (const { name } of definitions) {
    const folded = name.toLowerCase()
    const twin = foldedNames.get(folded)
    if (twin !== undefined) problems.push(`${name}: there already is an object "${twin}"`)
    foldedNames.set(folded, name)
    names.add(name)
  }
  for (const definition of definitions) problems.push(...checkObject(definition, names))
  return problems
}

function checkObject(definition: ObjectDefinition, names: ReadonlySet<string>): string[] {
  const { name } = definition
  const problems: string[] = []
  if (!objectName.test(name))
    problems.push(
      `${name}: an object name has letters, digits and "_", starts with a letter and has at most 63 characters`,
    )
  const columns = new Map<string, string>()
  const entries = Object.entries(definition.fields)
  if (entries.every(([field]) => field === 'row_id')) problems.push(`${name}: it has no fields`)
  for (const [field, own] of entries) {
    problems.push(...checkField(field, own, names).map((text) => `${name}.${field}: ${text}`))
    const column = (own.column ?? field).toLowerCase()
    const twin = columns.get(column)
    if (twin !== undefined) problems.push(`${name}.${field}: field "${twin}" already uses column "${column}"`)
    columns.set(column, field)
  }
  if (
    definition.pageSize !== undefined &&
    !(Number.isInteger(definition.pageSize) && definition.pageSize >= 1 && definition.pageSize <= 1000)
  ) {
    problems.push(`${name}.pageSize: must be a whole number from 1 to 1000`)
  }
  problems.push(...checkStates(definition).map((text) => `${name}.states: ${text}`))
  return problems
}

/** Mistakes in one field, or in something that is described like one. */
export function checkField(name: string, field: FieldDefinition, names: ReadonlySet<string>): string[] {
  const problems: string[] = []
  if (!fieldTypes[field.type]) return [`unknown type "${field.type}"; known are ${Object.keys(fieldTypes).join(', ')}`]
  if (!fieldName.test(name))
    problems.push('a field name has letters, digits and "_", starts with a letter and has at most 63 characters')
  if (keywords.has(name.toLowerCase())) problems.push('this name is a word of the filter language')
  if (name.includes('__')) problems.push('"__" in a name is kept for joined fields')
  if (reserved.has(name)) problems.push('this name is kept for the technical fields')
  if ((field.type === 'id') !== (name === 'row_id'))
    problems.push('the row id is a field "row_id" of type "id", and only that')
  if (field.type === 'reference') {
    if (!names.has(field.object)) problems.push(`it refers to object "${field.object}", which does not exist`)
    if (field.onDelete === 'setNull' && (field.required || field.key))
      problems.push('onDelete "setNull" does not go with a required field')
  }
  if (field.type === 'enum' || field.type === 'multi-enum') problems.push(...checkValues(field))
  if (field.type === 'integer') problems.push(...checkRange('precision', field.precision, 1, 18))
  if (field.type === 'decimal') {
    problems.push(...checkRange('precision', field.precision, 1, 38), ...checkRange('scale', field.scale, 0, 38))
    if ((field.scale ?? 2) > (field.precision ?? 15)) problems.push('scale is larger than precision')
  }
  if ('length' in field) problems.push(...checkRange('length', field.length, 1, 1_000_000_000))
  if ('pattern' in field && field.pattern !== undefined) {
    try {
      new RegExp(field.pattern, 'v')
    } catch (error) {
      problems.push(`pattern: ${(error as Error).message}`)
    }
  }
  if (field.key && ['text', 'html', 'object', 'document', 'image', 'password', 'multi-enum'].includes(field.type)) {
    problems.push(`a field of type "${field.type}" cannot be part of the functional key`)
  }
  return problems
}

function checkValues(field: EnumField | MultiEnumField): string[] {
  const codes = field.values.map((value) => (typeof value === 'string' ? value : value.code))
  if (codes.length === 0) return ['values: at least one is needed']
  const problems = codes
    .filter((code, at) => codes.indexOf(code) !== at)
    .map((code) => `values: "${code}" stands there twice`)
  if (codes.includes('')) problems.push('values: a code cannot be empty')
  // The codes of a multi-enum are kept as one text, separated by semicolons.
  const parted = field.type === 'multi-enum' ? codes.filter((code) => code.includes(';')) : []
  return [...problems, ...parted.map((code) => `values: code "${code}" holds ";", which separates codes`)]
}

function checkRange(what: string, value: number | undefined, least: number, most: number): string[] {
  if (value === undefined || (Number.isInteger(value) && value >= least && value <= most)) return []
  return [`${what} must be a whole number from ${least} to ${most}`]
}

function checkStates(definition: ObjectDefinition): string[] {
  const { states } = definition
  if (!states) return []
  const field = definition.fields[states.field]
  if (field?.type !== 'enum') return [`field "${states.field}" is not an enum field of the object`]
  const codes = new Set(field.values.map((value) => (typeof value === 'string' ? value : value.code)))
  const used = [states.initial ?? [], ...states.transitions.map(({ from, to }) => [from, to])].flat(2)
  return [...new Set(used)]
    .filter((code) => !codes.has(code))
    .map((code) => `"${code}" is not a value of ${states.field}`)
}
