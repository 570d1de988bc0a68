import { baseField } from '../model/model.js'
import type { ObjectModel, ReadableField } from '../model/model.js'

/** What names mean at a place of a template. */
export type TemplateScope = 'record' | 'list' | 'value' | 'json' | 'file'

/** Variables that are there everywhere: `@object.label` … */
const variables: Readonly<Record<string, readonly string[]>> = {
  object: ['name', 'label', 'pluralLabel'],
  publication: ['name', 'label'],
  user: ['login', 'firstname', 'lastname', 'email'],
  now: [],
  index: [],
  first: [],
  last: [],
  key: [],
}

/** What a path leads to: the scope within it, and the field when it is one. */
export interface Meaning {
  readonly scope: TemplateScope
  readonly field?: ReadableField
}

/** A field of a record that people may see. */
export function shownField(object: ObjectModel, name: string): ReadableField | undefined {
  const field = object.field(name)
  return field && (field.path.length > 0 || baseField(field).visible) ? field : undefined
}

/** @throws Error that names what is not there. */
export function meaningOf(object: ObjectModel, scope: TemplateScope, parts: readonly string[]): Meaning {
  const [first, ...others] = parts
  if (first === undefined) return { scope }
  if (scope === 'json') return { scope: 'json' }
  if (scope === 'list') {
    if (others.length === 0 && first === 'records') return { scope: 'list' }
    if (others.length === 0 && first === 'count') return { scope: 'value' }
    throw new Error(`has no "${first}" here; there are "records" and "count", and fields inside {{#each records}}`)
  }
  const field = scope === 'record' ? shownField(object, first) : undefined
  if (!field) throw new Error(`${scope === 'record' ? `"${object.name}"` : 'this place'} has no field "${first}"`)
  const { name } = field.type
  if (others.length > 0 && name !== 'object') throw new Error(`field "${first}" has no parts`)
  return { scope: name === 'object' ? 'json' : 'value', field }
}

/** @throws Error that names the variable that is not there. */
export function checkVariable(parts: readonly string[]): void {
  const [name = '', ...others] = parts
  const known = Object.hasOwn(variables, name) ? variables[name] : undefined
  const [part] = others
  if (known && others.length === (known.length > 0 ? 1 : 0) && (part === undefined || known.includes(part))) return
  const all = Object.entries(variables).flatMap(([key, names]) =>
    names.length > 0 ? names.map((inner) => `@${key}.${inner}`) : [`@${key}`],
  )
  throw new Error(`has no variable "@${parts.join('.')}"; there are ${all.join(', ')}`)
}
