import { createActions } from '../actions/create-actions.js'
import { createCrosstabs } from '../crosstabs/create-crosstabs.js'
import type { FieldDefinition, ObjectDefinition, ReferenceField } from '../definition/definition.js'
import { DefinitionError, RestError } from '../../errors.js'
import { nearMiss } from '../definition/near-miss.js'
import { customTypesOf, type CustomFieldType, type CustomTypes } from '../fields/custom-type.js'
import { keyReferenceType } from '../fields/key-id.js'
import { createIndex } from '../index-search/create-index.js'
import { createPublications } from '../publications/create-publications.js'
import { checkDefinitions } from './check-definitions.js'
import { isMadeOfFields } from './check-row-keys.js'
import { checkDefault, createField } from './create-field.js'
import { baseField } from './model.js'
import type {
  FieldModel,
  JoinedField,
  Model,
  ObjectModel,
  Order,
  ReadableField,
  ReferenceModel,
  Selection,
} from './model.js'

const technicalFields: Readonly<Record<string, FieldDefinition>> = {
  created_dt: { type: 'datetime', label: 'Created', readOnly: true },
  created_by: { type: 'string', label: 'Created by', readOnly: true },
  updated_dt: { type: 'datetime', label: 'Updated', readOnly: true },
  updated_by: { type: 'string', label: 'Updated by', readOnly: true },
}

/**
 * Checks definitions, links them with each other and works out everything that a definition alone can answer.
 *
 * @param options.fieldTypes types of fields besides the built-in ones.
 * @throws DefinitionError listing every mistake.
 */
export function createModel(
  definitions: readonly ObjectDefinition[],
  { fieldTypes = [] }: { readonly fieldTypes?: readonly CustomFieldType[] } = {},
): Model {
  const unsound: string[] = []
  const types = customTypesOf(fieldTypes, unsound)
  if (unsound.length > 0) throw new DefinitionError(unsound)
  const checked = checkDefinitions(definitions, types)
  if (checked.problems.length > 0) throw new DefinitionError([...checked.problems, ...checked.minor])

  const problems = [...checked.minor]
  const { sound } = checked
  const objects = new Map(sound.map((definition) => [definition.name, createObject(definition, types, problems)]))
  for (const object of objects.values()) object.linkReferences(objects)
  for (const object of objects.values()) problems.push(...object.linkJoined())
  if (problems.length > 0) throw new DefinitionError(problems)

  return Object.freeze({
    objects,
    object(name: string) {
      const object = objects.get(name)
      if (!object) throw RestError.notFound(`Object "${name}"`)
      return object
    },
  })
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }
type LinkableObject = ObjectModel & {
  linkReferences(objects: ReadonlyMap<string, ObjectModel>): void
  linkJoined(): string[]
}

function createObject(definition: ObjectDefinition, types: CustomTypes, problems: string[]): LinkableObject {
  const { row_id: idDefinition = { type: 'id' } as const, ...own } = definition.fields
  const fields: FieldModel[] = []
  const references: ReferenceModel[] = []
  const referencedBy: { object: ObjectModel; field: ReferenceModel }[] = []
  const joined: JoinedField[] = []
  const readable = new Map<string, ReadableField>()
  const paths = new Map<string, JoinedField>()
  const selections = new Map<string, Selection>()
  const label = definition.label ?? definition.name
  const isView = definition.view !== undefined

  const object: Mutable<LinkableObject> = {
    name: definition.name,
    label,
    pluralLabel: definition.pluralLabel ?? label,
    table: definition.table ?? snakeCase(definition.name),
    definition,
    isMapped: isView || definition.fields.row_id !== undefined,
    id: undefined as never,
    fields,
    technical: [],
    joined,
    readable,
    key: [],
    references,
    hasMadeFields: false,
    documents: [],
    state: undefined,
    actions: new Map(),
    publications: new Map(),
    crosstabs: new Map(),
    index: undefined,
    referencedBy,
    order: [],
    pageSize: definition.pageSize ?? 50,
    readOnly: definition.readOnly ?? isView,
    selection: undefined as never,
    field,
    select,
    linkReferences,
    linkJoined,
  }

  object.id = createField(object, 'row_id', idDefinition)
  for (const [name, field] of Object.entries(own)) {
    const model = createField(object, name, field, types)
    fields.push(model)
    if (isReference(model)) references.push(model)
  }
  if (definition.timestamps ?? !isView) {
    object.technical = Object.entries(technicalFields).map(([name, field]) => createField(object, name, field))
  }
  for (const field of fields) problems.push(...checkDefault(field, `${object.name}.${field.name}`))
  object.hasMadeFields = Object.values(definition.fields).some(isMadeOfFields)
  const parts = idDefinition.type === 'id' ? idDefinition.fields : undefined
  if (parts) linkParts(object.id, parts)
  for (const part of object.id.parts ?? []) Object.assign(part, { required: true, createOnly: true })
  object.key = fields.filter((field) => field.key)
  if (object.id.parts && object.key.length === 0) object.key = object.id.parts
  for (const member of object.key) Object.assign(member, { key: true })
  object.documents = fields.filter(({ type }) => type.name === 'document' || type.name === 'image')
  object.state = fields.find(({ name }) => name === definition.states?.field)
  for (const field of [object.id, ...fields, ...object.technical]) readable.set(field.name, field)
  object.actions = createActions(object, types, problems)
  object.index = createIndex(object, problems)
  return object

  function linkReferences(objects: ReadonlyMap<string, ObjectModel>): void {
    for (const reference of references) {
      const target = objects.get((reference.definition as { object: string }).object) as ObjectModel
      const linked = reference as Mutable<ReferenceModel>
      linked.target = target
      const { via } = reference.definition as ReferenceField
      if (via) linkReference(linked, via)
      linked.columnType = {
        kind: 'reference',
        values: (target.id.columnType as { values: 'integer' | 'string' }).values,
      }
      ;(target.referencedBy as { object: ObjectModel; field: ReferenceModel }[]).push({ object, field: reference })
    }
  }

  function linkParts(field: FieldModel, names: readonly string[]): void {
    ;(field as Mutable<FieldModel>).parts = names.map((name) => fields.find((each) => each.name === name) as FieldModel)
  }

  /** Such a reference can be written where all of its fields can, and is empty when one of them is. */
  function linkReference(reference: Mutable<ReferenceModel>, via: readonly string[]): void {
    linkParts(reference, via)
    const own = reference.parts as readonly FieldModel[]
    reference.type = keyReferenceType
    reference.readOnly ||= own.some(({ readOnly }) => readOnly)
    reference.createOnly ||= own.some(({ createOnly }) => createOnly)
  }

  function linkJoined(): string[] {
    const found: string[] = []
    for (const reference of references) {
      for (const chain of displayOf(reference)) {
        const end = followPath(object, `${reference.name}__${chain}`)
        if (typeof end === 'string') {
          found.push(`${object.name}.${reference.name}.display: ${end}`)
          continue
        }
        joined.push(end)
        readable.set(end.name, end)
      }
    }
    object.order = parseOrder(object, definition.order ?? [], found)
    const answered = [object.id, ...fields.flatMap((field) => (field.visible ? withJoined(field) : []))]
    object.selection = Object.freeze({ object, key: '*', fields: answered })
    object.crosstabs = createCrosstabs(object, found)
    object.publications = createPublications(object, found)
    return found
  }

  function withJoined(field: FieldModel): ReadableField[] {
    return isReference(field) ? [field, ...joined.filter(({ path }) => path[0] === field)] : [field]
  }

  function field(name: string): ReadableField | undefined {
    const known = readable.get(name) ?? paths.get(name)
    if (known || !name.includes('__')) return known
    const found = followPath(object, name)
    if (typeof found === 'string') return undefined
    keep(paths, name, found, mostPaths)
    return found
  }

  function select(names: readonly string[]): Selection {
    const key = names.join(',')
    const cached = selections.get(key)
    if (cached) {
      selections.delete(key)
      selections.set(key, cached)
      return cached
    }
    const selected = new Map<string, ReadableField>([['row_id', object.id]])
    for (const name of names) {
      const found = field(name)
      if (!found) throw unknownField(object, name)
      selected.set(name, found)
    }
    const selection = Object.freeze({ object, key, fields: [...selected.values()] })
    keep(selections, key, selection, mostSelections)
    return selection
  }
}

function isReference(field: FieldModel): field is ReferenceModel {
  return field.definition.type === 'reference'
}

function displayOf(reference: ReferenceModel): readonly string[] {
  const display = (reference.definition as { display?: readonly string[] }).display
  return display ?? reference.target.key.filter((field) => field.visible && !isReference(field)).map(({ name }) => name)
}

/** References in a chain from one field. Not specified; chosen because deeper ones are mistakes (a self reference, mostly). */
export const longestPath = 5
const mostPaths = 1_000
const mostSelections = 200

/** Callers choose paths, and the order of names in selections: what they invent must not make a cache grow, nor fill it for good. */
function keep<T>(cache: Map<string, T>, key: string, value: T, most: number): void {
  cache.set(key, value)
  if (cache.size <= most) return
  for (const oldest of cache.keys()) {
    cache.delete(oldest)
    return
  }
}

/** The field of a linked object that `<fk>__…__<field>` leads to, or why there is none. */
function followPath(object: ObjectModel, name: string): JoinedField | string {
  const parts = name.split('__', longestPath + 2)
  const last = parts.pop() as string
  if (parts.length > longestPath) return `"${name}" follows more than ${longestPath} references`
  const path: ReferenceModel[] = []
  let target = object
  for (const part of parts) {
    const next = target.references.find((reference) => reference.name === part)
    if (!next) return `"${part}" is not a reference of ${target.name}`
    path.push(next)
    target = next.target
  }
  const field = [...target.fields, ...target.technical].find((own) => own.name === last)
  if (!field) return `${target.name} has no field "${last}"`
  if (!field.visible) return `field "${last}" of ${target.name} is hidden`
  return { name, path, field, type: field.type, columnType: field.columnType }
}

function parseOrder(object: ObjectModel, order: readonly string[], problems: string[]): Order[] {
  const parsed = order.map((text) => ({ field: text.replace(/^[-+]/, ''), descending: text.startsWith('-') }))
  for (const { field } of parsed) {
    if (!object.readable.has(field)) problems.push(`${object.name}.order: there is no field "${field}"`)
  }
  return [...parsed, { field: 'row_id', descending: false }]
}

/**
 * The error for a name that is not a field of the object; the same whether it is missing, hidden or not granted.
 *
 * @param hides Fields that must not be proposed. Default: nothing is proposed.
 * @param place Completes the sentence, e.g. ` at position 3`. Default: nothing.
 */
export function unknownField(
  object: ObjectModel,
  name: string,
  hides?: (field: ReadableField) => boolean,
  place = '',
): RestError {
  const field = name.slice(0, 100)
  const meant = hides && nearField(object, field, hides)
  const proposal = meant === undefined ? '' : ` Did you mean "${meant}"?`
  const text = `Object "${object.name}" has no field "${field}"${place}.${proposal}`
  return new RestError('ERR_BAD_REQUEST', text, { messages: [{ code: 'ERR_UNKNOWN_FIELD', field, text }] })
}

/** The name with its first wrong part replaced by the nearest one, when that makes a field. */
function nearField(object: ObjectModel, name: string, hides: (field: ReadableField) => boolean): string | undefined {
  const parts = name.split('__')
  let target = object
  for (const [at, part] of parts.entries()) {
    const isLast = at === parts.length - 1
    const right = target.references.find((reference) => reference.name === part)
    if (right && !isLast) {
      target = right.target
      continue
    }
    const own = isLast ? [...target.fields, ...target.technical] : target.references
    const proposals = own.flatMap((field) => [parts.with(at, field.name).join('__')]).filter(isShown)
    // Names of an object start alike, so that only the rest of them shows whether they are close; two letters may have changed places.
    const { length } = part.slice(part.indexOf('_') + 1)
    const meant =
      nearMiss(name, proposals, length < 6 ? 2 : 3) ??
      nearMiss(
        name,
        proposals.filter((each) => lettersOf(each) === lettersOf(name)),
      )
    return meant === name ? undefined : meant
  }
  return undefined

  function isShown(proposal: string): boolean {
    const field = object.field(proposal)
    return field !== undefined && baseField(field).visible && !hides(field)
  }
}

function lettersOf(name: string): string {
  return [...name].toSorted().join('')
}

function snakeCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, '_').toLowerCase()
}
