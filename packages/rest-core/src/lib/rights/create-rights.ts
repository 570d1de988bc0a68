import { DefinitionError, RestError } from '../../errors.js'
import type { Filter } from '../filter/filter.js'
import { parseFilterExpression } from '../filter/parse.js'
import type { Model, ObjectModel } from '../model/model.js'
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
 * @throws DefinitionError for grants that name what the model does not have: a misspelt hidden field would be shown.
 */
export function createRights(
  model: Model,
  grants: readonly GrantData[],
  variables: Readonly<Record<string, string>>,
): Rights {
  const problems = grants.flatMap((grant) => problemsOf(model, grant, variables))
  if (problems.length > 0) throw new DefinitionError(problems)
  return rightsOfGrants(model, grants, variables)
}

/**
 * The same for grants that were checked when they were written. The model may have changed since then, and what is wrong
 * with one grant must not end the others: the objects of a grant whose row filter or hidden fields are gone fail on use,
 * so that nothing is shown by mistake.
 *
 * @throws RestError ERR_INTERNAL, on use.
 */
export function rightsOfGrants(
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
      const [gone] = unknownHidden(model, grant)
      if (gone !== undefined)
        throw new RestError(
          'ERR_INTERNAL',
          `A grant on "${grant.object}" hides the field "${gone}", which does not exist.`,
        )
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

/** What a grant names and the model does not have. */
function problemsOf(model: Model, grant: GrantData, variables: Readonly<Record<string, string>>): string[] {
  const title = `A grant on "${grant.object}"`
  const objects = targetsOf(model, grant)
  if (objects.length === 0) return [`${title}: there is no object "${grant.object}".`]
  const letters = [...grant.letters].filter((letter) => !rightLetters.includes(letter))
  return [
    ...letters.map((letter) => `${title}: there is no letter "${letter}". Known: ${rightLetters}.`),
    ...unknownHidden(model, grant).map((name) => `${title} hides the field "${name}", which does not exist.`),
    ...(['actions', 'publications', 'crosstabs'] as const).flatMap((kind) =>
      (grant[kind] ?? [])
        .filter((name) => !objects.some((object) => object[kind].has(name)))
        .map((name) => `${title} names "${name}", which is not among the ${kind}.`),
    ),
    ...filterProblems(objects, grant.filter, variables).map((problem) => `${title}: ${problem}`),
  ]
}

/** A filter for all objects must be readable for one of them; the others fail on use. */
function filterProblems(
  objects: readonly ObjectModel[],
  filter: string | undefined,
  variables: Readonly<Record<string, string>>,
): string[] {
  const problems: string[] = []
  for (const object of filter ? objects : []) {
    try {
      parseFilterExpression(object, filter as string, variables)
      return []
    } catch (error) {
      problems.push((error as Error).message)
    }
  }
  return problems.slice(0, 1)
}

const rightLetters = 'CRUDA'

function unknownHidden(model: Model, grant: GrantData): readonly string[] {
  const objects = targetsOf(model, grant)
  return (grant.hidden ?? []).filter((name) => !objects.some((object) => object.field(name)))
}

function targetsOf({ objects }: Model, { object }: GrantData): readonly ObjectModel[] {
  return object === '*' ? [...objects.values()] : [objects.get(object) ?? []].flat()
}

/** Rights to do everything with every object, for administrators and for code that acts on its own. */
export const allRights: Rights = (() => {
  const all: ObjectRights = {
    letters: new Map((['C', 'R', 'U', 'D', 'A'] as const).map((letter) => [letter, undefined])),
    hidden: new Set(),
  }
  return { object: () => all }
})()
