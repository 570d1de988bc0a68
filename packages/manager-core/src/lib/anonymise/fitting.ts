import type { FieldDescription, ObjectDescription } from './application.js'
import { looksPersonal } from './personal.js'
import { ruleText, type FakeKind, type Rule } from './rule.js'

/** Types whose values are texts that people write. */
const texts = ['string', 'text', 'html']
/** Types that take one kind of made-up values. */
const kindOfType: Readonly<Record<string, FakeKind>> = {
  email: 'email',
  phone: 'phone',
  url: 'url',
  color: 'color',
  geocoords: 'place',
}
/** Types whose values are replaced by others within their range. */
export const rangeTypes = ['integer', 'decimal', 'date', 'datetime', 'time']
/** Shorter e-mail addresses and URLs cannot be made. */
const leastLength = 36

/** Why a rule cannot be followed for a field, as words after `is not possible: `; undefined: it can. */
export function refusal(object: ObjectDescription, field: FieldDescription, rule: Rule): string | undefined {
  const { name, type, required } = field
  const { kind, fake } = rule
  if (kind === 'keep') return undefined
  if (type === 'id' || type === 'reference') return 'it links records, and links do not change'
  if (field.technical) return `it is kept by the application; who is in created_by follows the rule of User.usr_login`
  if (type === 'password') return kind === 'null' ? undefined : 'passwords are stored as hashes; use null or keep'
  if (type === 'document' || type === 'image')
    return kind === 'null' ? (required ? 'it is required' : undefined) : 'it takes null or keep'
  if (kind === 'null') {
    if (type === 'boolean') return 'it is always true or false; use shuffle'
    return required ? 'it is required; use fake or hash' : undefined
  }
  if (kind === 'shuffle') {
    if (object.key.includes(name))
      return `it is unique together with ${object.key.filter((one) => one !== name).join(', ')}`
    return object.name === 'User' && name === 'usr_login' ? 'it is the name of a person in other records' : undefined
  }
  return refusalToMake(field, kind, fake)
}

function refusalToMake({ type, length = 255 }: FieldDescription, kind: 'fake' | 'hash', fake: FakeKind | undefined) {
  if (rangeTypes.includes(type)) return fake === undefined ? undefined : `the type ${type} takes fake without a kind`
  const only = kindOfType[type]
  if (only === undefined && !texts.includes(type))
    return `values of the type ${type} cannot be made; use ${type === 'regexp' ? 'null' : 'shuffle or null'}`
  if (only !== undefined && fake !== undefined && fake !== only) return `the type ${type} takes fake ${only} only`
  if (type === 'geocoords' && kind === 'hash') return 'coordinates take fake, shuffle or null'
  if ((type === 'email' || type === 'url' || fake === 'email' || fake === 'url') && length < leastLength)
    return `it takes ${length} characters, too few for ${ruleText({ kind, ...(fake !== undefined && { fake }) })}`
  return undefined
}

/** What values of a field are like that are made up. */
export function fakeKindOf(object: ObjectDescription, field: FieldDescription, { fake }: Rule): FakeKind {
  const { type } = field
  if (fake !== undefined) return fake
  const only = kindOfType[type]
  if (only !== undefined) return only
  return looksPersonal(object, field)?.fake ?? (type === 'string' ? 'words' : 'text')
}
