import type { ObjectModel } from '@steward/rest-core'
import { isReference } from './export-columns.js'

/**
 * Objects in an order in which their records can be created: what others refer to comes first. In a circle a reference that
 * may be empty goes against the order; the import fills it in at the end.
 */
export function dependencyOrder(objects: readonly ObjectModel[]): readonly ObjectModel[] {
  const left = new Set(objects)
  const ordered: ObjectModel[] = []
  while (left.size > 0) {
    const next =
      first((object) => !refersTo(object, false)) ?? first((object) => !refersTo(object, true)) ?? first(() => true)
    left.delete(next as ObjectModel)
    ordered.push(next as ObjectModel)
  }
  return ordered

  function first(condition: (object: ObjectModel) => boolean): ObjectModel | undefined {
    for (const object of left) if (condition(object)) return object
    return undefined
  }

  function refersTo(object: ObjectModel, onlyRequired: boolean): boolean {
    return object.fields.some(
      (field) =>
        isReference(field) && field.target !== object && left.has(field.target) && (field.required || !onlyRequired),
    )
  }
}
