import type { FieldTypeName } from '../definition/definition.js'
import { createField } from '../model/create-field.js'
import type { FieldModel, IndexModel, ObjectModel } from '../model/model.js'

/** Name of the column of words, and of its field, which no user may read, filter or write. */
const wordsName = 'idx_words'

/** Types of texts that people write; colours and regular expressions are not. */
const texts: readonly FieldTypeName[] = ['string', 'text', 'html', 'url', 'email', 'phone', 'enum', 'multi-enum']
const indexable: ReadonlySet<FieldTypeName> = new Set<FieldTypeName>([
  ...texts,
  'color',
  'regexp',
  'integer',
  'decimal',
  'date',
  'datetime',
  'time',
  'geocoords',
])

/** What makes the records of an object findable by words; mistakes are added to `problems`. */
export function createIndex(object: ObjectModel, problems: string[]): IndexModel | undefined {
  const { indexable: wanted = false } = object.definition
  if (wanted === false) return undefined
  const place = `${object.name}.indexable`
  const fields =
    wanted === true
      ? object.fields.filter(({ visible, type }) => visible && texts.includes(type.name))
      : wanted.flatMap((name) => named(object, name, place, problems))
  if (fields.length === 0) problems.push(`${place}: there are no fields to take words from`)
  if (new Set(fields).size < fields.length) problems.push(`${place}: a field stands there twice`)
  const taken = [object.id, ...object.fields].find(({ name, column }) =>
    [name, column].some((text) => text.toLowerCase() === wordsName),
  )
  if (taken) problems.push(`${object.name}.${taken.name}: "${wordsName}" is kept for the index of the object`)
  const words = createField(object, wordsName, { type: 'text', hidden: true, readOnly: true })
  return Object.freeze({ fields, words: { ...words, columnType: { kind: 'words' } as const } })
}

function named(object: ObjectModel, name: string, place: string, problems: string[]): FieldModel[] {
  const field = object.fields.find((each) => each.name === name)
  if (!field) problems.push(`${place}: there is no field "${name}"`)
  else if (!indexable.has(field.type.name)) problems.push(`${place}: "${name}" of type ${field.type.name} has no words`)
  else if (!field.visible) problems.push(`${place}: "${name}" is hidden, but a search would show what is in it`)
  else return [field]
  return []
}
