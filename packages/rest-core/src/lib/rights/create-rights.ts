import { RestError } from '../../errors.js'
import type { Filter } from '../filter/filter.js'
import { parseFilterExpression } from '../filter/parse.js'
import type { Model } from '../model/model.js'
import type { NamedKind, ObjectRights, RightLetter, Rights } from './rights.js'

/** One grant of one group. Source: docs/spec/wire-decisions.md, "rights". */
export interface GrantData {
  /** Name of an object, or `*` for all. */
  readonly object: string
  /** Any of `CRUDA`. */
  readonly letters: string
  /** Rows it covers, in the filter language with field names, e.g. `created_by = [LOGIN]`. Default: all. */
  readonly filter?: string | undefined
  /** Fields that this grant does not show, and does not let the user set. */
  readonly hidden?: readonly string[] | undefined
  /** Actions that it grants, with the letter `A`. Default: all. */
  readonly actions?: readonly string[] | undefined
  /** Publications and pivot tables that it grants, with the letter `R`. Default: all. */
  readonly publications?: readonly string[] | undefined
  readonly crosstabs?: readonly string[] | undefined
}

/** The letter that a grant of what has a name goes with. */
export const letterOf: Readonly<Record<NamedKind, RightLetter>> = { actions: 'A', publications: 'R', crosstabs: 'R' }

/**
 * The union of grants: a letter is granted when one of them grants it, for the rows of any of them; a field can be read
 * when a grant with `R` does not hide it, and set when one with `C` or `U` does not.
 *
 * @param variables values of `[LOGIN]` and `[USERID]` in row filters.
 * @throws RestError ERR_INTERNAL, on use, for a row filter that cannot be read: nothing is granted by mistake.
 */
export function createRights(
  model: Model,
  grants: readonly GrantData[],
  variables: Readonly<Record<string, string>>,
): Rights {
  const cache = new Map<string, ObjectRights | undefined>()
  return {
    object(name) {
      if (!cache.has(name)) cache.set(name, model.objects.has(name) ? unite(name) : undefined)
      return cache.get(name)
    },
  }

  function unite(name: string): ObjectRights | undefined {
    const own = grants.filter(({ object }) => object === name || object === '*')
    const letters = new Map<RightLetter, Filter | undefined>()
    for (const grant of own) {
      const filter = grant.filter ? readRowFilter(grant.filter, name) : undefined
      for (const letter of grant.letters as Iterable<RightLetter>) {
        const before = letters.get(letter)
        const unlimited = filter === undefined || (letters.has(letter) && before === undefined)
        letters.set(letter, unlimited ? undefined : before ? { op: 'or', terms: [before, filter] } : filter)
      }
    }
    if (own.length === 0) return undefined
    return {
      letters,
      hidden: hidden('R'),
      locked: { C: hidden('C'), U: hidden('U') },
      named: { actions: names('actions'), publications: names('publications'), crosstabs: names('crosstabs') },
    }

    /** What every grant with the letter hides; without such a grant, what all grants hide. */
    function hidden(letter: RightLetter): ReadonlySet<string> {
      const granting = own.filter((grant) => grant.letters.includes(letter))
      const [first, ...others] = granting.length > 0 ? granting : own
      return new Set(first?.hidden?.filter((field) => others.every((grant) => grant.hidden?.includes(field))))
    }

    function names(kind: NamedKind): ReadonlySet<string> | undefined {
      const lists = own.filter((grant) => grant.letters.includes(letterOf[kind])).map((grant) => grant[kind])
      return lists.includes(undefined) ? undefined : new Set(lists.flatMap((list) => list ?? []))
    }
  }

  function readRowFilter(text: string, name: string): Filter {
    try {
      return parseFilterExpression(model.object(name), text, variables)
    } catch (cause) {
      throw new RestError('ERR_INTERNAL', `The row filter of a grant on "${name}" cannot be read.`, { cause })
    }
  }
}

/** Rights to do everything with every object, for administrators and for code that acts on its own. */
export const allRights: Rights = (() => {
  const all: ObjectRights = {
    letters: new Map((['C', 'R', 'U', 'D', 'A'] as const).map((letter) => [letter, undefined])),
    hidden: new Set(),
  }
  return { object: () => all }
})()
