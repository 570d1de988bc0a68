import type { Filter } from '../filter/filter.js'
import { isJoined } from '../model/model.js'
import type { FieldModel, ObjectModel, ReadableField } from '../model/model.js'

/** Whether the database finds and sorts records by this field with an index. */
export function hasIndex(field: ReadableField): boolean {
  if (isJoined(field)) return hasIndex(field.field) && field.path.every(hasOwnIndex)
  return hasOwnIndex(field)
}

function hasOwnIndex(field: FieldModel): boolean {
  const { object, definition } = field
  if (field === object.id || field === object.key[0] || field.indexed || field.unique) return true
  // Fields that form a row id or a reference are indexed together, in their order.
  if (definition.type === 'reference') return definition.index !== false
  return [object.id, ...object.references].some(({ parts }) => parts?.[0] === field)
}

/**
 * The field because of which a filter reads the whole table to find few records. A condition that most records meet
 * (`<>`, `is not null`) needs no index, and neither does one beside a condition that has one.
 */
export function scannedField(object: ObjectModel, filter: Filter): ReadableField | undefined {
  const cost = costOf(object, filter)
  return typeof cost === 'object' ? cost : undefined
}

/** `few`: an index finds the records; `most`: most records match; else the field that has to be read of every record. */
type Cost = 'few' | 'most' | ReadableField

function costOf(object: ObjectModel, filter: Filter): Cost {
  switch (filter.op) {
    case 'and':
    case 'guarded': {
      const costs = filter.terms.map((term) => costOf(object, term))
      return costs.includes('few') ? 'few' : (costs.find((cost) => cost !== 'most') ?? 'most')
    }
    case 'or': {
      const costs = filter.terms.map((term) => costOf(object, term))
      return costs.find((cost) => typeof cost === 'object') ?? (costs.includes('most') ? 'most' : 'few')
    }
    case '<>':
    case 'notLike':
    case 'notIn':
    case 'notNull':
    case 'notContains':
      return 'most'
    case 'like':
      return byIndex(object, filter.field, !/^[%_]/.test(filter.pattern))
    case 'contains':
      return byIndex(object, filter.field, false)
    default:
      return byIndex(object, filter.field, true)
  }
}

function byIndex(object: ObjectModel, name: string, canUseIndex: boolean): Cost {
  const field = object.field(name)
  // Technical fields cannot have an index, so there is nothing to advise.
  if (!field || object.technical.some((technical) => technical === field)) return 'few'
  return canUseIndex && hasIndex(field) ? 'few' : field
}
