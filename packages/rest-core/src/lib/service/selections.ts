import { RestError } from '../../errors.js'
import type { ObjectModel, Selection } from '../model/model.js'
import type { Access } from '../rights/access.js'
import type { AnswerOptions } from './business-objects.js'

/** The row id in its stored form. @throws RestError ERR_NOT_FOUND for a text that cannot be one. */
export function parseRowId(object: ObjectModel, rowId: string): string {
  const id = object.id.type.parse(rowId, object.id)
  if (typeof id !== 'string' || id === '')
    throw RestError.notFound(`Record "${rowId.slice(0, 100)}" of "${object.name}"`)
  return id
}

/** The fields that a caller gets, rights applied. */
export function answerSelection(access: Access, options: AnswerOptions | undefined): Selection {
  if (options === undefined) return access.selection
  const { fields, timestamps } = options
  if (fields === undefined) return timestamps ? access.selectionWithTimestamps : access.selection
  const names = fields.map((name) => access.readable(name).name)
  const technical = timestamps ? access.object.technical.filter((field) => !access.hides(field)) : []
  return access.object.select([...names, ...technical.map(({ name }) => name)])
}

const wholeSelections = new WeakMap<ObjectModel, Selection>()

/** Everything but passwords: what hooks see of a record. */
export function wholeSelection(object: ObjectModel): Selection {
  let selection = wholeSelections.get(object)
  if (!selection) {
    const names = [...object.readable.values()].filter(({ type }) => type.name !== 'password').map(({ name }) => name)
    wholeSelections.set(object, (selection = object.select(names)))
  }
  return selection
}
