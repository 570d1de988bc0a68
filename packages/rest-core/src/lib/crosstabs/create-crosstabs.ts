import type { ObjectModel } from '../model/model.js'
import type { CrosstabModel } from './crosstab.js'

/** The pivot tables of an object by name, once its joined fields are linked; mistakes are added to `problems`. */
export function createCrosstabs(_object: ObjectModel, _problems: string[]): ReadonlyMap<string, CrosstabModel> {
  return new Map()
}
