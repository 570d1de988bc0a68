import { RestError, type ErrorMessage } from '../../errors.js'
import { Problem } from '../fields/field-type.js'
import type { FieldValue } from '../fields/field-value.js'
import { isJoined, type ObjectModel } from '../model/model.js'
import { messageOf } from './input.js'

/**
 * Gives values that hooks have set the form of their fields, as input has it, so that every store keeps and answers the
 * same. Rules of the fields are not checked.
 *
 * @param before the values when the hooks started
 * @returns messages about values that cannot be read
 * @throws RestError ERR_INTERNAL for the name of an unknown field
 */
export function readHookValues(
  object: ObjectModel,
  values: Record<string, FieldValue>,
  before: Readonly<Record<string, FieldValue>>,
): ErrorMessage[] {
  const messages: ErrorMessage[] = []
  for (const [name, value] of Object.entries(values)) {
    // What is within a list or an object may be changed in its place.
    if (value === undefined || (value === before[name] && typeof value !== 'object')) continue
    const field = object.readable.get(name)
    if (!field || isJoined(field))
      throw new RestError(
        'ERR_INTERNAL',
        `A hook of "${object.name}" sets the unknown field "${name}". Correct the name in the hook.`,
      )
    const read = field.type.parse(value, field)
    if (read instanceof Problem) messages.push(messageOf(field, read))
    else values[name] = read
  }
  return messages
}
