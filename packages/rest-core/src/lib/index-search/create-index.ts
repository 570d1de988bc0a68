import type { IndexModel, ObjectModel } from '../model/model.js'

/** What makes the records of an object findable by words; mistakes are added to `problems`. */
export function createIndex(_object: ObjectModel, _problems: string[]): IndexModel | undefined {
  return undefined
}
