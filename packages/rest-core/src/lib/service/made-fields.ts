import { isDeepStrictEqual } from 'node:util'
import type { ErrorMessage } from '../../errors.js'
import { RestError } from '../../errors.js'
import type { FieldValue } from '../fields/field-value.js'
import { readRowId, rowIdOf } from '../fields/row-key.js'
import type { BusinessRecord, FieldModel, ObjectModel } from '../model/model.js'
import { missingReference } from './store-errors.js'

type Values = Record<string, FieldValue>

/** Messages about fields of the row id that a request gives another value; the same one may be sent back. */
export function keyChanges({ id: { parts } }: ObjectModel, rowId: string, body: unknown): ErrorMessage[] {
  const key = parts && readRowId(parts, rowId)
  if (!key) return []
  const changed = parts.filter((part, at) => {
    const given = (body as Readonly<Record<string, unknown>>)[part.name]
    return given !== undefined && !isDeepStrictEqual(part.type.parse(given, part), key[at])
  })
  return changed.map(({ name }) => ({
    code: 'ERR_USERKEY',
    field: name,
    text: `Field "${name}" is part of the row id, which cannot be changed; create another record and delete this one.`,
  }))
}

/**
 * Gives references of several fields and these fields the same values, whichever of them a request gives.
 *
 * @param old The record that is changed; absent: it is new.
 */
export async function joinReferences(
  object: ObjectModel,
  values: Values,
  old?: () => Promise<BusinessRecord>,
): Promise<ErrorMessage[]> {
  const messages: ErrorMessage[] = []
  for (const reference of object.references) {
    const { name, parts } = reference
    if (!parts || ![reference, ...parts].some((field) => field.name in values)) continue
    const before = await old?.()
    const given = values[name] ?? ''
    const isSet = name in values && given !== (before?.[name] ?? '')
    if (!isSet) values[name] = rowIdOf(parts, (part) => values[part.name] ?? before?.[part.name])
    else if (given !== '' && !readRowId(parts, given as string))
      messages.push(missingReference(reference, given as string))
    else messages.push(...setParts(name, parts, values, before))
  }
  return messages
}

/** The same after hooks, whose values are not asked about. */
export function joinHookValues(object: ObjectModel, values: Values, before: Readonly<Values>): void {
  for (const { name, parts } of object.references) {
    if (!parts) continue
    const given = values[name]
    if (given !== before[name] && given !== undefined) {
      const read = given === '' ? undefined : readRowId(parts, given as string)
      if (given !== '' && !read) throw RestError.validation([conflict(name, given, parts[0] as FieldModel)])
      for (const [at, part] of parts.entries())
        if (read || !part.required) values[part.name] = read?.[at] ?? part.type.empty
    } else if (parts.every((part) => part.name in values)) values[name] = rowIdOf(parts, (part) => values[part.name])
  }
}

function setParts(
  name: string,
  parts: readonly FieldModel[],
  values: Values,
  before: BusinessRecord | undefined,
): ErrorMessage[] {
  const given = values[name] as string
  const read = given === '' ? undefined : readRowId(parts, given)
  const free = parts.filter((part) => read || !part.required)
  if (free.length === 0) return [{ code: 'ERR_REQUIRED', field: name, text: `Field "${name}" is required.` }]
  const messages: ErrorMessage[] = []
  for (const part of free) {
    const wanted = read ? (read[parts.indexOf(part)] as FieldValue) : part.type.empty
    const own = values[part.name]
    const isGiven = own !== undefined && !(before && isDeepStrictEqual(own, before[part.name]))
    const isFixed = before !== undefined && part.createOnly && !isDeepStrictEqual(before[part.name], wanted)
    if ((isGiven && !isDeepStrictEqual(own, wanted)) || isFixed) messages.push(conflict(name, given, part))
    else values[part.name] = wanted
  }
  return messages
}

function conflict(name: string, given: FieldValue, part: FieldModel): ErrorMessage {
  const text = `Field "${name}" is "${String(given)}", and "${part.name}" has another value; give one of them.`
  return { code: 'ERR_REFERENCE', field: name, text }
}
