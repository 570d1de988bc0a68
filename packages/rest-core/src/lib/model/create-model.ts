import { createActions } from '../actions/create-actions.js'
import { createCrosstabs } from '../crosstabs/create-crosstabs.js'
import type { FieldDefinition, ObjectDefinition } from '../definition/definition.js'
import { DefinitionError, RestError } from '../../errors.js'
import { createIndex } from '../index-search/create-index.js'
import { createPublications } from '../publications/create-publications.js'
import { checkDefinitions } from './check-definitions.js'
import { checkDefault, createField } from './create-field.js'
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
 * @throws DefinitionError listing every mistake.
 */
export function createModel(definitions: readonly ObjectDefinition[]): Model {
  const checked = checkDefinitions(definitions)
  if (checked.problems.length > 0) throw new DefinitionError([...checked.problems, ...checked.minor])

  const problems = [...checked.minor]
  const { sound } = checked
  const objects = new Map(sound.map((definition) => [definition.name, createObject(definition, problems)]))
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

function createObject(definition: ObjectDefinition, problems: string[]): LinkableObject {
  const { row_id: idDefinition = { type: 'id' } as const, ...own } = definition.fields
  const fields: FieldModel[] = []
  const references: ReferenceModel[] = []
  const referencedBy: { object: ObjectModel; field: ReferenceModel }[] = []
  const joined: JoinedField[] = []
  const readable = new Map<string, ReadableField>()
  const selections = new Map<string, Selection>()
  const label = definition.label ?? definition.name

  const object: Mutable<LinkableObject> = {
    name: definition.name,
    label,
    pluralLabel: definition.pluralLabel ?? label,
    table: definition.table ?? snakeCase(definition.name),
    definition,
    id: undefined as never,
    fields,
    technical: [],
    joined,
    readable,
    key: [],
    references,
    documents: [],
    state: undefined,
    actions: new Map(),
    publications: new Map(),
    crosstabs: new Map(),
    index: undefined,
    referencedBy,
    order: [],
    pageSize: definition.pageSize ?? 50,
    readOnly: definition.readOnly ?? false,
    selection: undefined as never,
    select,
    linkReferences,
    linkJoined,
  }

  object.id = createField(object, 'row_id', idDefinition)
  for (const [name, field] of Object.entries(own)) {
    const model = createField(object, name, field)
    fields.push(model)
    if (isReference(model)) references.push(model)
  }
  if (definition.timestamps ?? true) {
    object.technical = Object.entries(technicalFields).map(([name, field]) => createField(object, name, field))
  }
  for (const field of fields) problems.push(...checkDefault(field, `${object.name}.${field.name}`))
  object.key = fields.filter((field) => field.key)
  object.documents = fields.filter(({ type }) => type.name === 'document' || type.name === 'image')
  object.state = fields.find(({ name }) => name === definition.states?.field)
  for (const field of [object.id, ...fields, ...object.technical]) readable.set(field.name, field)
  object.actions = createActions(object, problems)
  object.index = createIndex(object, problems)
  return object

  function linkReferences(objects: ReadonlyMap<string, ObjectModel>): void {
    for (const reference of references) {
      const target = objects.get((reference.definition as { object: string }).object) as ObjectModel
      const linked = reference as Mutable<ReferenceModel>
      linked.target = target
      linked.columnType = {
        kind: 'reference',
        values: (target.id.columnType as { values: 'integer' | 'string' }).values,
      }
      ;(target.referencedBy as { object: ObjectModel; field: ReferenceModel }[]).push({ object, field: reference })
    }
  }

  function linkJoined(): string[] {
    const found: string[] = []
    for (const reference of references) {
      for (const chain of displayOf(reference)) {
        const end = followChain(reference, chain)
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

  function select(names: readonly string[]): Selection {
    const key = names.join(',')
    const cached = selections.get(key)
    if (cached) return cached
    const selected = new Set<ReadableField>([object.id])
    for (const name of names) {
      const field = readable.get(name)
      if (!field) throw unknownField(object, name)
      selected.add(field)
    }
    const selection = Object.freeze({ object, key, fields: [...selected] })
    // Callers choose the names, so the cache must not grow with every permutation that they invent.
    if (selections.size < 200) selections.set(key, selection)
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

/** Longest chain of references behind one display field. Not specified; chosen because deeper ones are mistakes (a self reference, mostly). */
const longestChain = 5

function followChain(first: ReferenceModel, chain: string): JoinedField | string {
  const path = [first]
  const parts = chain.split('__')
  const last = parts.pop() as string
  if (parts.length >= longestChain) return `"${chain}" follows more than ${longestChain} references`
  for (const part of parts) {
    const { target } = path.at(-1) as ReferenceModel
    const next = target.references.find(({ name }) => name === part)
    if (!next) return `"${part}" is not a reference of ${target.name}`
    path.push(next)
  }
  const { target } = path.at(-1) as ReferenceModel
  const field = [...target.fields, ...target.technical].find(({ name }) => name === last)
  if (!field) return `${target.name} has no field "${last}"`
  if (!field.visible) return `field "${last}" of ${target.name} is hidden`
  return { name: `${first.name}__${chain}`, path, field, type: field.type, columnType: field.columnType }
}

function parseOrder(object: ObjectModel, order: readonly string[], problems: string[]): Order[] {
  const parsed = order.map((text) => ({ field: text.replace(/^[-+]/, ''), descending: text.startsWith('-') }))
  for (const { field } of parsed) {
    if (!object.readable.has(field)) problems.push(`${object.name}.order: there is no field "${field}"`)
  }
  return [...parsed, { field: 'row_id', descending: false }]
}

/** The error for a name that is no field of the object; the same whether it is missing, hidden or not granted. */
export function unknownField(object: ObjectModel, name: string): RestError {
  const field = name.slice(0, 100)
  const text = `Object "${object.name}" has no field "${field}".`
  return new RestError('ERR_BAD_REQUEST', text, { messages: [{ code: 'ERR_UNKNOWN_FIELD', field, text }] })
}

function snakeCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, '_').toLowerCase()
}
