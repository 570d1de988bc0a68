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
  /** `undefined` when nothing needs one. */
  readonly guards: readonly Guard[] | undefined
  readonly links: readonly Link[]
}

export function linksOf(rights: Rights, object: ObjectModel): Links {
  const guards = new Map<string, Guard>()
  for (const { path } of object.joined.filter(isReached)) {
    for (const [at, { target }] of path.entries()) {
      const where = reachOf(rights, target)
      const start = path.slice(0, at + 1)
      if (typeof where === 'object') guards.set(start.map(({ name }) => name).join('__'), { path: start, where })
    }
  }
  return {
    isReached,
    guards: guards.size > 0 ? [...guards.values()] : undefined,
    links: object.references.flatMap((field): Link[] => {
      const to = reachOf(rights, field.target)
      return to === 'all' ? [] : [{ field, to }]
    }),
  }

  /** Every reference on the way must be one that the user may read, and lead to records that the user may read. */
  function isReached({ path, field }: JoinedField): boolean {
    return (
      path.every((reference, at) => {
        const rest = [...path.slice(at), field].map(({ name }) => name)
        return (
          reference.visible &&
          reachOf(rights, reference.target) !== 'none' &&
          !isHidden(reference.object, reference.name) &&
          !isHidden(reference.object, rest.join('__'))
        )
      }) && !isHidden(field.object, field.name)
    )
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

/** The filter as it holds for what the reader of a query sees of linked records. */
export function asSeen(filter: Filter, { guards }: Pick<Query, 'guards'>): Filter {
  return guards ? { op: 'guarded', terms: [filter] } : filter
}
