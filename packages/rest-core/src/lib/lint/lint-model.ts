import { isJoined } from '../model/model.js'
import type { FieldModel, Model, ObjectModel } from '../model/model.js'
import { systemObjects } from '../system/system-objects.js'
import type { LintFinding } from './finding.js'
import { hasIndex } from './indexes.js'

/** What is known of an application beyond its model. */
export interface LintModelOptions {
  /** Code, templates or other files mention the object, besides its own definition. */
  isMentioned(object: ObjectModel): boolean
  /** Code mentions the field, besides its own definition. */
  isInCode(field: FieldModel): boolean
  /** Records of the object. Default: not known. */
  rows?(object: ObjectModel): number | undefined
  /** Whether a record has a value in the field. Default: not known. */
  isFilled?(field: FieldModel): boolean | undefined
}

/** Fewest records from which a field that is empty in all of them is worth a word. */
const tellingRows = 100

/** Looks for what is most likely not meant in the objects of an application. System objects are left out. */
export function lintModel({ objects }: Pick<Model, 'objects'>, options: LintModelOptions): LintFinding[] {
  const own = applicationObjects(objects)
  return own.flatMap((object) => [
    ...unusedObject(object, own.length, options),
    ...object.fields.flatMap((field) => unusedField(field, options)),
    ...object.references.flatMap(referenceWithoutIndex),
    ...slowSort(object),
  ])
}

/** The objects that the application defines itself. */
export function applicationObjects(objects: Model['objects']): ObjectModel[] {
  const system = new Set<string>(systemObjects.map(({ name }) => name))
  return [...objects.values()].filter(({ name }) => !system.has(name))
}

function unusedObject(object: ObjectModel, count: number, { rows, isMentioned }: LintModelOptions): LintFinding[] {
  const { name, definition, references, referencedBy } = object
  const hasCode = [definition.hooks, definition.states].some((part) => part !== undefined)
  const hasNamed = object.actions.size + object.publications.size + object.crosstabs.size > 0
  const isLinked = references.length > 0 || referencedBy.length > 0
  const records = rows?.(object)
  const isUsed = hasCode || hasNamed || isLinked || (records ?? 0) > 0 || isMentioned(object)
  // The only object of an application is what the application is about.
  if (isUsed || count === 1) return []
  const empty = records === 0 ? ', and it has no records' : ''
  return [
    {
      rule: 'unused-object',
      severity: records === 0 ? 'warning' : 'info',
      message: `No object refers to ${name}, no code mentions it${empty}. Remove it if it is not needed.`,
      object: name,
      path: [],
    },
  ]
}

function unusedField(field: FieldModel, { rows, isFilled, isInCode }: LintModelOptions): LintFinding[] {
  const { object, name, definition } = field
  // Other programs write the records of a read-only object.
  if (object.readOnly || isMade(field) || isInCode(field)) return []
  const records = rows?.(object)
  const filled = isFilled?.(field)
  const place = { rule: 'unused-field', object: object.name, path: ['fields', name] } as const
  if (definition.hidden === true)
    return [
      {
        ...place,
        severity: 'warning',
        message: `${name} is hidden and no code reads it, so no user sees what it holds. Remove it, or remove "hidden".`,
      },
    ]
  if (field.readOnly && definition.default === undefined && field !== object.state && filled !== true)
    return [
      {
        ...place,
        severity: 'warning',
        message: `${name} is read-only and no code sets it, so it stays empty. Set it in a hook, or remove "readOnly".`,
      },
    ]
  if (records === undefined || records < tellingRows || filled !== false) return []
  return [
    {
      ...place,
      severity: 'info',
      message: `${name} is empty in all ${records} records. Remove it if it is not needed.`,
    },
  ]
}

/** Its value is that of other fields. */
function isMade(field: FieldModel): boolean {
  return field.parts !== undefined
}

function referenceWithoutIndex(field: ObjectModel['references'][number]): LintFinding[] {
  if (hasIndex(field)) return []
  const { name, object, target, onDelete } = field
  const deletion =
    onDelete === 'refuse' ? 'checks all records of' : onDelete === 'cascade' ? 'searches all of' : 'updates by all of'
  return [
    {
      rule: 'reference-without-index',
      severity: 'warning',
      message: `${name} has no index: each deletion of a ${target.name} ${deletion} ${object.name}, and so does each search by it. Remove "index: false".`,
      object: object.name,
      path: ['fields', name, 'index'],
    },
  ]
}

/** The sort of searches that name none. */
function slowSort(object: ObjectModel): LintFinding[] {
  const [first] = object.order
  const field = first && object.field(first.field)
  if (!first || !field || (!isJoined(field) && hasIndex(field)) || object.technical.some((each) => each === field))
    return []
  const cure = isJoined(field)
    ? 'Sort by a field of its own with an index.'
    : `Add "index: true" to ${first.field}, or sort by a field that has one.`
  return [
    {
      rule: 'slow-sort',
      severity: 'warning',
      message: `Each search of ${object.name} that names no order sorts all records by ${first.field}, which has no index. ${cure}`,
      object: object.name,
      path: ['order'],
    },
  ]
}
