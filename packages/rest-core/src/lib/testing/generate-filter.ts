import { isEmpty, type ColumnType } from '../fields/field-type.js'
import type { FieldValue } from '../fields/field-value.js'
import type { Comparison, Filter } from '../filter/filter.js'
import type { BusinessRecord, ObjectModel, ReadableField } from '../model/model.js'
import type { Random } from './random.js'

export interface FilterSource {
  readonly object: ObjectModel
  /** Values are taken from these, so that filters find something. */
  readonly records: readonly BusinessRecord[]
  /** Fields to choose from. Default: those that are readable without asking for more. */
  readonly fields?: readonly ReadableField[]
  /** Patterns hold no letters beyond A–Z. */
  readonly asciiPatterns: boolean
}

/** A filter of at most `depth` levels of `and` and `or` that is valid for the object. */
export function generateFilter(random: Random, source: FilterSource, depth: number): Filter {
  if (depth === 0 || random.oneIn(3))
    return generateLeaf(random, source, random.pick(source.fields ?? [...source.object.readable.values()]))
  const terms = Array.from({ length: 1 + random.below(4) }, () => generateFilter(random, source, depth - 1))
  return { op: random.pick(['and', 'or'] as const), terms }
}

/** Operators that a filter may use on this field. */
export function operatorsOf({ type }: ReadableField): readonly Filter['op'][] {
  if (type.name === 'object') return ['null', 'notNull']
  if (type.name === 'multi-enum') return ['null', 'notNull', 'contains', 'notContains']
  return [
    'null',
    'notNull',
    '=',
    '<>',
    'in',
    'notIn',
    ...(type.ordered ? (['<', '<=', '>', '>='] as const) : []),
    ...(type.like ? (['like', 'notLike'] as const) : []),
  ]
}

/** A condition on this one field. */
export function generateLeaf(
  random: Random,
  source: FilterSource,
  field: ReadableField,
  op: Filter['op'] = random.pick(operatorsOf(field)),
): Filter {
  const { name } = field
  const value = (): FieldValue => random.pick(valuesOf(source, field))
  switch (op) {
    case 'null':
    case 'notNull':
      return { op, field: name }
    case 'in':
    case 'notIn':
      return { op, field: name, values: Array.from({ length: 1 + random.below(5) }, value) }
    case 'contains':
    case 'notContains':
      return { op, field: name, value: random.pick([...(value() as readonly string[]), 'unknown']) }
    case 'like':
    case 'notLike':
      return { op, field: name, pattern: generatePattern(random, String(value()), source.asciiPatterns) }
    default:
      return { op: op as Comparison, field: name, value: value() }
  }
}

function valuesOf({ records }: FilterSource, { name, columnType }: ReadableField): readonly FieldValue[] {
  const values = records.map((record) => record[name]).filter((value) => !isEmpty(value)) as FieldValue[]
  return values.length > 0 ? values : [sampleOf[columnType.kind] ?? 'x']
}

/** Used when no record has a value. */
const sampleOf: Partial<Record<ColumnType['kind'], FieldValue>> = {
  id: '1',
  reference: '1',
  integer: 1,
  decimal: 1,
  boolean: true,
  date: '2024-01-01',
  datetime: '2024-01-01 00:00:00',
  time: '12:00:00',
  list: ['red'],
}

/** A pattern made from a text by putting wildcards, escapes and the other case into it. */
function generatePattern(random: Random, text: string, ascii: boolean): string {
  const characters = [...text].slice(0, 20).map((character) => {
    if (ascii && /\P{ASCII}/u.test(character)) return '_'
    if (random.oneIn(6)) return '_'
    if (random.oneIn(6)) return '%'
    if (/[a-z]/i.test(character) && random.oneIn(3))
      return character === character.toLowerCase() ? character.toUpperCase() : character.toLowerCase()
    // A wildcard stays one at times, and an escape before an ordinary character changes nothing.
    return /[%_\\]/.test(character)
      ? random.oneIn(3) && character !== '\\'
        ? character
        : `\\${character}`
      : random.oneIn(10)
        ? `\\${character}`
        : character
  })
  if (random.oneIn(4)) characters.push('%')
  if (random.oneIn(4)) characters.unshift('%')
  return characters.join('')
}
