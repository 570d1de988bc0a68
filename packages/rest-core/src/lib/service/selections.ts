import { RestError } from '../../errors.js'
import { isJoined } from '../model/model.js'
import type { ObjectModel, Selection } from '../model/model.js'
import type { Access } from '../rights/access.js'
import type { AnswerOptions } from './business-objects.js'

/**
 * The row id in its stored form, which has one address: another spelling (`05`) is the id of no row, but for the case of a UUID.
 *
 * @throws RestError ERR_NOT_FOUND for a text that cannot be one.
 */
export function parseRowId(object: ObjectModel, rowId: string): string {
  const id = object.id.type.parse(rowId, object.id)
  if (typeof id !== 'string' || id === '' || id.toLowerCase() !== rowId.toLowerCase())
    throw RestError.notFound(`Record "${rowId.slice(0, 100)}" of "${object.name}"`)
  return id
}

/** The fields that a caller gets, rights applied. */
export function answerSelection(access: Access, options: AnswerOptions | undefined): Selection {
  if (options === undefined) return access.selection
  const { fields, timestamps, inlineDocuments, inlineThumbnails } = options
  checkInlined(access, inlineDocuments, ['document', 'image'])
  checkInlined(access, inlineThumbnails, ['image'])
  if (fields === undefined) return timestamps ? access.selectionWithTimestamps : access.selection
  const names = fields.map((name) => access.readable(name).name)
  const technical = timestamps ? access.object.technical.filter((field) => !access.hides(field)) : []
  return access.object.select([...names, ...technical.map(({ name }) => name)])
}

/** @throws RestError ERR_BAD_REQUEST for a name that is not an own field of these types. */
function checkInlined(access: Access, names: true | readonly string[] | undefined, types: readonly string[]): void {
  if (names === undefined || names === true) return
  for (const name of names) {
    const field = access.readable(name)
    if (types.includes(field.type.name) && !isJoined(field)) continue
    const text = `Field "${name}" of "${access.object.name}" is not a ${types.join(' or ')} of its own.`
    throw new RestError('ERR_BAD_REQUEST', text)
  }
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
