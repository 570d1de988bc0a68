import type { ObjectModel } from '../model/model.js'
import type { PublicationModel } from './publication.js'

/** The publications of an object by name; mistakes are added to `problems`. */
export function createPublications(_object: ObjectModel, _problems: string[]): ReadonlyMap<string, PublicationModel> {
  return new Map()
}
