import { RestError } from '../../errors.js'
import { parseFilterExpression } from '../filter/parse.js'
import type { ObjectModel } from '../model/model.js'
import { unknownField } from '../model/create-model.js'
import type { WriteContext } from '../service/hooks.js'

/** Refuses a grant whose object, row filter or hidden fields do not exist, before it locks users out. */
export async function checkGrant({ values, old, service: { model } }: WriteContext): Promise<void> {
  const before = await old()
  const text = (name: string) => String(values[name] ?? before?.[name] ?? '')
  const objects = targets(text('grt_object'), model.objects)
  for (const object of objects) {
    const filter = text('grt_filter')
    if (filter) parseFilterExpression(object, filter, { LOGIN: 'login', USERID: '1' })
  }
  for (const name of splitNames(text('grt_hidden_fields'))) {
    const [object] = objects
    if (object && !objects.some(({ readable }) => readable.has(name))) throw unknownField(object, name)
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
