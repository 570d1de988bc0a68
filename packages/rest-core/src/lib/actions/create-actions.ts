import type { ObjectModel } from '../model/model.js'
import type { ActionModel } from './action.js'

/** The actions of an object by name; mistakes are added to `problems`. */
export function createActions(_object: ObjectModel, _problems: string[]): ReadonlyMap<string, ActionModel> {
  return new Map()
}
