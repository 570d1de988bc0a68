import { RestError } from '../../errors.js'
import type { Filter } from '../filter/filter.js'
import type { FieldModel, ObjectModel, Order, ReadableField, Selection } from '../model/model.js'
import { isJoined } from '../model/model.js'
import type { Guard } from '../store.js'
import { allRights } from './create-rights.js'
import { unknownField } from '../model/create-model.js'
import { linksOf, type Link } from './links.js'
import type { NamedKind, Principal, RightLetter, Rights } from './rights.js'

/** What the rights of one user mean for one object, worked out once. */
export interface Access {
  readonly object: ObjectModel
  /** What an answer holds by default for this user. */
  readonly selection: Selection
  /** The same with the technical fields. */
  readonly selectionWithTimestamps: Selection
  /** The object's own order without fields that are hidden from this user. */
  readonly order: readonly Order[]
  /** Which linked records this user may see, where not all: for every query of what this user asks for. */
  readonly guards: readonly Guard[] | undefined
  /** References that this user may not set to every record. */
  readonly links: readonly Link[]
  /** The rows covered by the letter. @throws RestError ERR_RIGHT when it is not granted. */
  need(letter: RightLetter): Filter | undefined
  /** Whether the letter is granted, for some rows at least. */
  may(letter: RightLetter): boolean
  /** A field that this user may read, sort and filter. @throws RestError ERR_BAD_REQUEST, the same as for a field that is not there. */
  readable(name: string): ReadableField
  /**
   * The user may run or use what has this name, as far as grants and its own groups say; letters and whether it exists
   * are asked elsewhere.
   */
  allows(kind: NamedKind, name: string): boolean
  /** The user never meets this field: it is hidden here, or the user may not read what it is joined from. */
  hides(field: ReadableField): boolean
  /** The user cannot set this field when creating (`C`) or updating (`U`). */
  locks(field: FieldModel, letter: 'C' | 'U'): boolean
}

const cache = new WeakMap<Rights, Map<ObjectModel, Access>>()

/** The access of a principal to an object; cached as long as the principal's rights live. */
export function accessOf(principal: Principal, object: ObjectModel): Access {
  let objects = cache.get(principal.rights)
  if (!objects) cache.set(principal.rights, (objects = new Map()))
  let access = objects.get(object)
  if (!access) objects.set(object, (access = createAccess(principal, object)))
  return access
}

const verbs: Readonly<Record<RightLetter, string>> = {
  C: 'create',
  R: 'read',
  U: 'update',
  D: 'delete',
  A: 'run actions of',
}

function createAccess({ rights, groups }: Principal, object: ObjectModel): Access {
  const granted = rights.object(object.name)
  const { isReached, guards, links } = linksOf(rights, object)
  const hidden = new Set([...object.readable.values()].filter((field) => isHidden(field)))
  const selection = visibleSelection(object.selection)
  return {
    object,
    selection,
    selectionWithTimestamps: object.select([
      ...names(selection),
      ...names({ fields: object.technical.filter((field) => !hides(field)) }),
    ]),
    order: object.order.filter(
      ({ field }) => field === 'row_id' || !hides(object.readable.get(field) as ReadableField),
    ),
    guards,
    links,
    need,
    may: (letter) => granted?.letters.has(letter) ?? false,
    readable,
    allows,
    hides,
    locks: (field, letter) => (granted?.locked?.[letter] ?? granted?.hidden)?.has(field.name) ?? false,
  }

  function allows(kind: NamedKind, name: string): boolean {
    const names = granted?.named?.[kind]
    if (names && !names.has(name)) return false
    const own = object.definition[kind]?.[name]?.groups
    return own === undefined || rights === allRights || own.some((group) => groups.includes(group))
  }

  function need(letter: RightLetter): Filter | undefined {
    if (!granted?.letters.has(letter)) {
      throw new RestError('ERR_RIGHT', `You may not ${verbs[letter]} records of "${object.name}".`)
    }
    return granted.letters.get(letter)
  }

  function readable(name: string): ReadableField {
    const field = object.readable.get(name)
    if (!field || hides(field) || !(isJoined(field) || field.visible)) throw unknownField(object, name)
    return field
  }

  function hides(field: ReadableField): boolean {
    return hidden.has(field)
  }

  function isHidden(field: ReadableField): boolean {
    return granted?.hidden.has(field.name) === true || (isJoined(field) && !isReached(field))
  }

  function visibleSelection(all: Selection): Selection {
    if (!all.fields.some(hides)) return all
    return object.select(names({ fields: all.fields.filter((field) => !hides(field)) }))
  }
}

function names({ fields }: { fields: readonly ReadableField[] }): string[] {
  return fields.map(({ name }) => name)
}
