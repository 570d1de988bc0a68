import { isDeepStrictEqual } from 'node:util'
import type { ErrorMessage } from '../../errors.js'
import { isEmpty } from '../fields/field-type.js'
import type { FieldValue, JsonValue } from '../fields/field-value.js'
import { keepNumbers, mayHoldNumbers } from '../fields/json-text.js'
import type { BusinessRecord, FieldModel, Selection } from '../model/model.js'
import type { Access } from '../rights/access.js'
import { isIgnored } from './input.js'

const none: ReadonlySet<string> = new Set()

/**
 * Fields that were sent as they are answered, of tables that others made. They are neither checked nor written, because such columns
 * hold more than is answered: empty texts beside NULL, other forms of a number, values that break today's rules.
 *
 * A record that is sent back whole is compared; of some fields only those whose values are wrong, empty or JSON, since a
 * comparison costs a read.
 *
 * Numbers in JSON of any table that were answered as texts are numbers again in what is written beside them.
 *
 * @param body as it was sent; `values` are those of its values that could be read
 */
export async function unchangedFields(
  { object, hides, may }: Access,
  body: object,
  values: Readonly<Record<string, FieldValue>>,
  messages: readonly ErrorMessage[],
  read: (select: Selection) => Promise<BusinessRecord>,
): Promise<ReadonlySet<string>> {
  if (!may('R')) return none
  const wrong = new Set(messages.map(({ field }) => field))
  const compared = object.fields.filter(isCompared)
  const sent = compared.filter(({ name }) => Object.hasOwn(body, name))
  const isWhole = sent.length === compared.length || Object.hasOwn(body, 'row_id')
  const names = sent.filter((field) => isWhole || isDoubtful(field)).map(({ name }) => name)
  if (names.length === 0) return none
  const stored = await read(object.select(names))
  return new Set(
    names.filter((name) => {
      const shown = stored[name] as FieldValue
      if (isSame((body as BusinessRecord)[name], shown) || (name in values && isSame(values[name], shown))) return true
      if (name in values) keepNumbers(values[name] as JsonValue, shown)
      return false
    }),
  )

  function isDoubtful({ name, columnType }: FieldModel): boolean {
    return wrong.has(name) || !Object.hasOwn(values, name) || isEmpty(values[name]) || columnType.kind === 'json'
  }

  function isCompared(field: FieldModel): boolean {
    return (
      (object.isMapped || (field.columnType.kind === 'json' && mayHoldNumbers(values[field.name]))) &&
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
