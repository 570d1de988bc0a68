import { isDeepStrictEqual } from 'node:util'
import type { FieldValue, JsonValue } from '../fields/field-value.js'
import { keepNumbers } from '../fields/json-text.js'
import type { BusinessRecord, FieldModel, Selection } from '../model/model.js'
import type { Access } from '../rights/access.js'
import { isIgnored } from './input.js'

const none: ReadonlySet<string> = new Set()

/**
 * Fields of a table of others that were sent as they are answered. They are neither checked nor written, because its columns
 * hold more than is answered: empty texts beside NULL, other forms of a number, values that break today's rules.
 *
 * Numbers in JSON that were answered as texts are numbers again in what is written beside them.
 *
 * @param body as it was sent; `values` are those of its values that could be read
 */
export async function unchangedFields(
  { object, hides, may }: Access,
  body: object,
  values: Readonly<Record<string, FieldValue>>,
  read: (select: Selection) => Promise<BusinessRecord>,
): Promise<ReadonlySet<string>> {
  if (!object.isMapped || !may('R')) return none
  const names = Object.keys(body).filter((name) =>
    object.fields.some((field) => field.name === name && isCompared(field)),
  )
  if (names.length === 0) return none
  const stored = await read(object.select(names))
  return new Set(
    names.filter((name) => {
      const shown = stored[name] as FieldValue
      if (isSame((body as BusinessRecord)[name], shown) || (name in values && isSame(values[name], shown))) return true
      if (name in values) keepNumbers(values[name] as JsonValue, shown as JsonValue)
      return false
    }),
  )

  function isCompared(field: FieldModel): boolean {
    return (
      !isIgnored(field, 'update') &&
      field.type.name !== 'password' &&
      !object.documents.includes(field) &&
      !hides(field)
    )
  }
}

function isSame(given: FieldValue | undefined, shown: FieldValue): boolean {
  if (isDeepStrictEqual(given, shown)) return true
  // As JSON has it: -0 is 0.
  return typeof given === 'object' && given !== null && isDeepStrictEqual(plain(given), plain(shown))
}

function plain(value: FieldValue): unknown {
  return JSON.parse(JSON.stringify(value))
}
