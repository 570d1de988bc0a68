import type { Filter } from '../filter/filter.js'
import type { JoinedField, ObjectModel, ReferenceModel } from '../model/model.js'
import type { Guard, Query } from '../store.js'
import type { Rights } from './rights.js'

/** A reference that a user may set to some records only. */
export interface Link {
  readonly field: ReferenceModel
  /** The records; `none` when the user may not read the linked object. */
  readonly to: Filter | 'none'
}

/** What the rights of a user mean for what an object refers to. */
export interface Links {
  /** The user may read the field on some linked records at least; of which ones is said by `guards`. */
  isReached(field: JoinedField): boolean
  /** For the object's own joined fields; `undefined` when nothing needs one. */
  readonly guards: readonly Guard[] | undefined
  /** The same when these other fields of linked objects are asked for, too. */
  guardsWith(fields: readonly JoinedField[]): readonly Guard[] | undefined
  readonly links: readonly Link[]
}

export function linksOf(rights: Rights, object: ObjectModel): Links {
  const reached = object.joined.filter(isReached)
  const guards = guardsOf(reached)
  return {
    isReached,
    guards,
    guardsWith: (fields) => (fields.length === 0 ? guards : guardsOf([...reached, ...fields])),
    links: object.references.flatMap((field): Link[] => {
      const to = reachOf(rights, field.target)
      return to === 'all' ? [] : [{ field, to }]
    }),
  }

  function guardsOf(fields: readonly JoinedField[]): readonly Guard[] | undefined {
    const found = new Map<string, Guard>()
    for (const { path } of fields) {
      for (const [at, { target }] of path.entries()) {
        const where = reachOf(rights, target)
        const start = path.slice(0, at + 1)
        if (typeof where === 'object') found.set(chainOf(start), { path: start, where })
      }
    }
    return found.size > 0 ? [...found.values()] : undefined
  }

  /** Every reference on the way must be one that the user may read, and lead to records that the user may read. */
  function isReached(joined: JoinedField): boolean {
    const { path, field } = joined
    const isShown = object.readable.get(joined.name) === joined
    return (
      path.every((reference, at) => {
        const { target } = reference
        const rest = [...path.slice(at), field].map(({ name }) => name)
        return (
          reference.visible &&
          reachOf(rights, target) !== 'none' &&
          (isShown || isReadWhole(target)) &&
          !isHidden(reference.object, reference.name) &&
          !isHidden(reference.object, rest.join('__'))
        )
      }) && !isHidden(field.object, field.name)
    )
  }

  /**
   * An object with `display: 'public'` shows to everybody what references show of it, and nothing else. Other fields need
   * the right to read it; for all of its records, because a guard would also empty what is shown to everybody.
   */
  function isReadWhole({ name, definition }: ObjectModel): boolean {
    if (definition.display !== 'public') return true
    const letters = rights.object(name)?.letters
    return letters?.has('R') === true && letters.get('R') === undefined
  }

  function isHidden({ name }: ObjectModel, field: string): boolean {
    return rights.object(name)?.hidden.has(field) ?? false
  }
}

/** The records of an object that references may show to a user, and be set to. */
function reachOf(rights: Rights, { name, definition }: ObjectModel): Filter | 'all' | 'none' {
  if (definition.display === 'public') return 'all'
  const letters = rights.object(name)?.letters
  return letters?.has('R') ? (letters.get('R') ?? 'all') : 'none'
}

/** Names of references that follow each other, as one text. */
export function chainOf(path: readonly ReferenceModel[]): string {
  return path.map(({ name }) => name).join('__')
}

/** The filter as it holds for what the reader of a query sees of linked records. */
export function asSeen(filter: Filter, { guards }: Pick<Query, 'guards'>): Filter {
  return guards ? { op: 'guarded', terms: [filter] } : filter
}
