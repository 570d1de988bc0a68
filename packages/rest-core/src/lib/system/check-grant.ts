import { RestError } from '../../errors.js'
import { parseFilterExpression } from '../filter/parse.js'
import type { ObjectModel } from '../model/model.js'
import { unknownField } from '../model/create-model.js'
import { letterOf } from '../rights/create-rights.js'
import type { ObjectRights, RightLetter } from '../rights/rights.js'
import type { WriteContext } from '../service/hooks.js'
import { mayDoEverything } from './administrators.js'

/**
 * Refuses a grant whose object, row filter or hidden fields do not exist, before it locks users out; and one of rights
 * that the giver does not have.
 */
export async function checkGrant(context: WriteContext): Promise<void> {
  const {
    values,
    old,
    service: { model },
  } = context
  const before = await old()
  const text = (name: string) => String(values[name] ?? before?.[name] ?? '')
  const objects = targets(text('grt_object'), model.objects)
  for (const object of objects) {
    const filter = text('grt_filter')
    if (filter) about('grt_filter', () => parseFilterExpression(object, filter, { LOGIN: 'login', USERID: '1' }))
  }
  for (const name of splitNames(text('grt_hidden_fields'))) {
    const [object] = objects
    if (!object || objects.some((each) => each.field(name))) continue
    about('grt_hidden_fields', () => {
      throw unknownField(object, name)
    })
  }
  for (const kind of ['actions', 'publications', 'crosstabs'] as const) {
    const field = `grt_${kind}`
    for (const name of splitNames(text(field))) {
      if (objects.some((object) => object[kind].has(name))) continue
      throw RestError.validation([
        { code: 'ERR_REFERENCE', field, text: `"${text('grt_object')}" has no "${name}" among its ${kind}.` },
      ])
    }
  }
  if (!mayDoEverything(context.principal)) for (const object of objects) refuseBeyondOwn(context, object.name, text)
}

/** What is wrong inside the text of a field is wrong with this field. */
function about(field: string, check: () => unknown): void {
  try {
    check()
  } catch (error) {
    if (!RestError.is(error)) throw error
    const { code, message, messages } = error
    const found = messages.length > 0 ? messages : [{ code, text: message }]
    throw RestError.validation(
      found.map((one) => ({ ...one, field })),
      error,
    )
  }
}

/**
 * Rows are not compared: who has a right for some rows only cannot give it, since a filter may match more for another user.
 * Fields are compared for each letter, as some may be read and not set.
 */
function refuseBeyondOwn({ principal }: WriteContext, object: string, text: (name: string) => string): void {
  const own = principal.rights.object(object)
  const letters = [...text('grt_rights')] as RightLetter[]
  const hidden = splitNames(text('grt_hidden_fields'))
  const isOwn =
    letters.every((letter) => own?.letters.has(letter) && own.letters.get(letter) === undefined) &&
    letters.every((letter) => [...lockedFor(letter, own)].every((field) => hidden.includes(field))) &&
    (['actions', 'publications', 'crosstabs'] as const).every((kind) => {
      const granted = own?.named?.[kind]
      const names = splitNames(text(`grt_${kind}`))
      if (granted === undefined || !letters.includes(letterOf[kind])) return true
      return names.length > 0 && names.every((name) => granted.has(name))
    })
  if (isOwn) return
  throw new RestError(
    'ERR_RIGHT',
    `Only administrators may grant rights on "${object}" that they do not have themselves, for all records.`,
  )
}

/** Fields that a user with these rights does not meet when using the letter. */
function lockedFor(letter: RightLetter, own: ObjectRights | undefined): ReadonlySet<string> {
  if (letter === 'C' || letter === 'U') return own?.locked?.[letter] ?? own?.hidden ?? new Set()
  return letter === 'R' ? (own?.hidden ?? new Set()) : new Set()
}

function targets(name: string, objects: ReadonlyMap<string, ObjectModel>): readonly ObjectModel[] {
  if (name === '*') return [...objects.values()]
  const object = objects.get(name)
  if (object) return [object]
  // An empty name is refused as a missing value.
  if (name === '') return []
  throw RestError.validation([
    {
      code: 'ERR_REFERENCE',
      field: 'grt_object',
      text: `There is no object "${name}"; give the name of one, or * for all.`,
    },
  ])
}

/** Names separated by commas. */
export function splitNames(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}
