import { checkStructure } from '../definition/check-structure.js'
import { checkRowKeys, isMadeOfFields } from './check-row-keys.js'
import { asBuiltIn, checkCustomField, isCustom, type CustomTypes } from '../fields/custom-type.js'
import type { EnumField, FieldDefinition, MultiEnumField, ObjectDefinition } from '../definition/definition.js'

/** Words of the filter language; a field of that name could not stand in an expression. */
export const filterKeywords: ReadonlySet<string> = new Set(['and', 'or', 'not', 'like', 'is', 'in', 'null'])
const reserved = new Set(['created_dt', 'created_by', 'updated_dt', 'updated_by'])

/** What can be seen in definitions before they are linked. */
export interface CheckedDefinitions {
  /** Without them there is no model: mistakes as `Object.field: what is wrong`. */
  readonly problems: readonly string[]
  /** Mistakes in actions, pivot tables and publications, which `sound` does not have any more. */
  readonly minor: readonly string[]
  readonly sound: readonly ObjectDefinition[]
}

/** Display chains and sorts are checked when the model is linked. */
export function checkDefinitions(definitions: readonly ObjectDefinition[], types: CustomTypes): CheckedDefinitions {
  const problems: string[] = []
  const minor: string[] = []
  const structures = definitions.map((definition, at) => checkStructure(definition, at + 1))
  for (const { texts, broken } of structures) {
    const isMinor = [...broken].every((part) => /^(?:actions|crosstabs|publications)\b/.test(part))
    const list = isMinor ? minor : problems
    list.push(...texts)
  }
  const usable = structures.filter(({ broken }) => !broken.has(''))
  const names = new Set<string>()
  const foldedNames = new Map<string, string>()
  for (const { rest } of usable) {
    const folded = rest.name.toLowerCase()
    const twin = foldedNames.get(folded)
    if (twin !== undefined) problems.push(`${rest.name}: there already is an object "${twin}"`)
    foldedNames.set(folded, rest.name)
    names.add(rest.name)
  }
  for (const { rest, broken } of usable)
    if (!broken.has('fields')) problems.push(...checkObject(rest, names, types, broken))
  if (problems.length === 0) {
    const byName = new Map(usable.map(({ rest }) => [rest.name, rest]))
    problems.push(...usable.flatMap(({ rest }) => checkRowKeys(rest, byName)))
  }
  return { problems, minor, sound: structures.map(({ rest }) => rest) }
}

/** @param broken parts that are reported already, and not to be checked. */
function checkObject(
  definition: ObjectDefinition,
  names: ReadonlySet<string>,
  types: CustomTypes,
  broken: ReadonlySet<string>,
): string[] {
  const { name } = definition
  const problems: string[] = []
  const columns = new Map<string, string>()
  const entries = Object.entries(definition.fields)
  if (entries.every(([field]) => field === 'row_id')) problems.push(`${name}: it has no fields`)
  for (const [field, own] of entries) {
    if (broken.has(`fields.${field}`)) continue
    problems.push(...checkField(field, own, names, types).map((text) => `${name}.${field}: ${text}`))
    const { area } = own
    if (area !== undefined && !Object.hasOwn(definition.areas ?? {}, area))
      problems.push(`${name}.${field}: area "${area}" is not among the "areas" of the object`)
    if (isMadeOfFields(own)) continue
    const column = (own.column ?? field).toLowerCase()
    const twin = columns.get(column)
    // A read-only field may show the row id as what it is in the table.
    if (twin !== undefined && !(twin === 'row_id' && own.readOnly === true))
      problems.push(`${name}.${field}: field "${twin}" already uses column "${column}"`)
    columns.set(column, field)
  }
  problems.push(...checkView(definition).map((text) => `${name}.${text}`))
  const statesHold = !broken.has('states') && !broken.has(`fields.${definition.states?.field ?? ''}`)
  if (statesHold) problems.push(...checkStates(definition).map((text) => `${name}.states: ${text}`))
  return problems
}

/** A view shows what other tables hold: whatever belongs to a table of its own, or to writes, does not go with it. */
function checkView(definition: ObjectDefinition): string[] {
  const { view } = definition
  if (view === undefined) return []
  const queries = typeof view === 'string' ? [view] : Object.values(view)
  const problems = queries
    .filter((sql) => !/^\s*(?:select|with)\b[^;]*$/i.test(sql))
    .map(() => 'view: must be one query that begins with "select" or "with", without a semicolon')
  // A common table expression cannot stand within another query there.
  if (typeof view === 'object' && /^\s*with\b/i.test(view.mssql ?? ''))
    problems.push('view: on SQL Server it must begin with "select"')
  if (definition.readOnly === false) problems.push('readOnly: a view made by "view" takes no writes')
  for (const option of ['renamedFrom', 'states', 'audit', 'events', 'indexable'] as const)
    if (definition[option] !== undefined && definition[option] !== false)
      problems.push(`${option}: does not go with "view"`)
  for (const [field, { type }] of Object.entries(definition.fields))
    if (type === 'document' || type === 'image' || type === 'password')
      problems.push(`${field}: a field of type "${type}" does not go with "view"`)
  return problems
}

/** Mistakes in one field, or in something that is described like one. */
export function checkField(
  name: string,
  given: FieldDefinition,
  names: ReadonlySet<string>,
  types: CustomTypes,
): string[] {
  const problems = isCustom(given) ? checkCustomField(given, types) : []
  if (isCustom(given) && !types.has(given.type)) return problems
  const field = asBuiltIn(given, types)
  if (filterKeywords.has(name.toLowerCase())) problems.push('this name is a word of the filter language')
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
  if (field.type === 'decimal') {
    if ((field.scale ?? 2) > (field.precision ?? 15)) problems.push('scale is larger than precision')
    const { storage, extended } = field
    if (storage !== undefined && (field.precision !== undefined || field.scale !== undefined))
      problems.push('"precision" and "scale" do not go with "storage"')
    if (extended && storage === undefined) problems.push('"extended" needs "storage"')
  }
  if ('pattern' in field && field.pattern !== undefined) {
    try {
      new RegExp(field.pattern, 'v')
    } catch (error) {
      problems.push(`pattern: ${(error as Error).message}`)
    }
  }
  if (field.type === 'document' && field.storage === 'column')
    for (const option of ['unique', 'index', 'default'] as const)
      if (field[option] !== undefined && field[option] !== false)
        problems.push(`"${option}" does not go with a content in the column`)
  if (field.key && ['text', 'html', 'object', 'document', 'image', 'password', 'multi-enum'].includes(field.type)) {
    problems.push(`a field of type "${field.type}" cannot be part of the functional key`)
  }
  return problems
}

function checkValues(field: EnumField | MultiEnumField): string[] {
  const codes = field.values.map((value) => (typeof value === 'string' ? value : value.code))
  const problems = codes
    .filter((code, at) => codes.indexOf(code) !== at)
    .map((code) => `values: "${code}" stands there twice`)
  // The codes of a multi-enum are kept as one text, separated by semicolons.
  const parted = field.type === 'multi-enum' ? codes.filter((code) => code.includes(';')) : []
  return [...problems, ...parted.map((code) => `values: code "${code}" holds ";", which separates codes`)]
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
