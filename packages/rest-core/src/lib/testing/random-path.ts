import { longestPath } from '../model/create-model.js'
import type { FieldModel, ObjectModel, ReadableField } from '../model/model.js'
import type { Random } from './random.js'

/** A field through one to five references; `undefined` for an object without any. Most of them are in no `display`. */
export function randomPath(random: Random, object: ObjectModel): ReadableField | undefined {
  const names: string[] = []
  let target = object
  for (let steps = 1 + random.below(longestPath); steps > 0 && target.references.length > 0; steps--) {
    const reference = random.pick(target.references)
    names.push(reference.name)
    target = reference.target
  }
  if (names.length === 0) return undefined
  const fields: readonly FieldModel[] = [...target.fields, ...target.technical].filter(({ visible }) => visible)
  return object.field([...names, random.pick(fields).name].join('__'))
}
