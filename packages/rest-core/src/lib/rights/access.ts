import { RestError } from '../../errors.js'
import type { Filter } from '../filter/filter.js'
import type { FieldModel, JoinedField, Model, ObjectModel, Order, ReadableField, Selection } from '../model/model.js'
import { isJoined } from '../model/model.js'
import type { Guard } from '../store.js'
import { nearMiss } from '../definition/near-miss.js'
import { unknownField } from '../model/create-model.js'
import { chainOf, linksOf, type Link } from './links.js'
import { isInSome } from './principal.js'
import type { NamedKind, Principal, RightLetter, Rights } from './rights.js'

const letters: readonly RightLetter[] = ['C', 'R', 'U', 'D', 'A']

/**
 * The error for an object that does not exist. It proposes one with nearly that name on which the user has some right.
 */
export function unknownObject({ objects }: Model, principal: Principal, name: string): RestError {
  const own = [...objects.values()].filter((object) => letters.some(accessOf(principal, object).may))
  const given = name.slice(0, 100)
  const meant = nearMiss(
    given,
    own.map((object) => object.name),
  )
  const proposal = meant === undefined ? '' : ` Did you mean "${meant}"?`
  return new RestError('ERR_NOT_FOUND', `Object "${given}" does not exist, or you may not see it.${proposal}`)
}

/** What the rights of one user mean for one object, worked out once. */
export interface Access {
  readonly object: ObjectModel
  /** What an answer holds by default for this user. */
  readonly selection: Selection
  /** The same with the technical fields. */
  readonly selectionWithTimestamps: Selection
  /** The object's own order without fields that are hidden from this user. */
  readonly order: readonly Order[]
  /** Which linked records this user may see, where not all: for queries of the object's own joined fields. */
  readonly guards: readonly Guard[] | undefined
  /**
   * The same for a query that also asks for these fields, whatever for. Without a name that is not an own joined field they
   * are `guards`. @throws RestError ERR_BAD_REQUEST when they are reached through too many references.
   */
  guardsFor(names: Iterable<string>): readonly Guard[] | undefined
  /**
   * Whether the user may search the index. It knows the words of a record, not of which field each one is: who may not see
   * one of the fields may not search it. Not specified; chosen because hits, their order and their number would reveal what
   * the field holds.
   */
  readonly searchesIndex: boolean
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
  /** The user may read this field, of records that the user may read. */
  shows(name: string): boolean
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
  const { isReached, guards, guardsWith, links } = linksOf(rights, object)
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
    guardsFor,
    searchesIndex: granted?.letters.has('R') === true && object.index?.fields.some(hides) === false,
    links,
    need,
    may: (letter) => granted?.letters.has(letter) ?? false,
    readable,
    allows,
    hides,
    shows(name) {
      const field = object.readable.get(name)
      return field !== undefined && !hides(field)
    },
    locks: (field, letter) => (granted?.locked?.[letter] ?? granted?.hidden)?.has(field.name) ?? false,
  }

  function allows(kind: NamedKind, name: string): boolean {
    const names = granted?.named?.[kind]
    if (names && !names.has(name)) return false
    return isInSome({ rights, groups }, object.definition[kind]?.[name]?.groups)
  }

  function need(letter: RightLetter): Filter | undefined {
    if (!granted?.letters.has(letter)) {
      throw new RestError('ERR_RIGHT', `You may not ${verbs[letter]} records of "${object.name}".`)
    }
    return granted.letters.get(letter)
  }

  function readable(name: string): ReadableField {
    const field = object.field(name)
    if (!field || hides(field) || !(isJoined(field) || field.visible)) throw unknownField(object, name, hides)
    return field
  }

  function guardsFor(asked: Iterable<string>): readonly Guard[] | undefined {
    const fields: JoinedField[] = []
    for (const name of asked) {
      if (object.readable.has(name)) continue
      const field = object.field(name)
      if (field && isJoined(field)) fields.push(field)
    }
    if (fields.length > 0) checkLinkedRecords(object, fields)
    return guardsWith(fields)
  }

  function hides(field: ReadableField): boolean {
    // What others than the object's own fields are is not known before they are asked for.
    return isJoined(field) && object.readable.get(field.name) !== field ? isHidden(field) : hidden.has(field)
  }

  function isHidden(field: ReadableField): boolean {
    return granted?.hidden.has(field.name) === true || (isJoined(field) && !isReached(field))
  }

  function visibleSelection(all: Selection): Selection {
    if (!all.fields.some(hides)) return all
    return object.select(names({ fields: all.fields.filter((field) => !hides(field)) }))
  }
}

/** Not specified; chosen below what databases join (MySQL: 61 tables), with what an object shows of linked records anyway. */
const mostLinkedRecords = 20

function checkLinkedRecords(object: ObjectModel, fields: readonly JoinedField[]): void {
  const shown = new Set(object.joined.flatMap(({ path }) => path.map((_, at) => chainOf(path.slice(0, at + 1)))))
  const chains = new Set(fields.flatMap(({ path }) => path.map((_, at) => chainOf(path.slice(0, at + 1)))))
  if ([...chains].filter((chain) => !shown.has(chain)).length <= mostLinkedRecords) return
  const text = `A request may use fields of at most ${mostLinkedRecords} linked records besides those that "${object.name}" shows; this one names more. Ask in several requests.`
  throw new RestError('ERR_BAD_REQUEST', text)
}

function names({ fields }: { fields: readonly ReadableField[] }): string[] {
  return fields.map(({ name }) => name)
}
