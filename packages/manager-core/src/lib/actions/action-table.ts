import { whyNot, whyNotOption } from '../access/scope.js'
import type { Action, Option, Parameter } from '../action.js'
import type { Caller } from '../domain/caller.js'

/** The action table for programs that make forms of it. */
export function actionTable(actions: () => readonly Action[]): Action {
  return {
    name: 'actions',
    group: 'Manager',
    summary: 'List all actions with their inputs',
    description:
      'For programs, for example to generate forms. Actions that the caller is not allowed to run are marked.',
    ability: 'read',
    mutating: false,
    scoped: true,
    surfaces: ['api'],
    examples: ['actions'],
    view: { type: 'table', columns: ['name', 'summary', 'ability'], empty: '' },
    async handler({ caller }) {
      const list = actions()
        .filter(({ surfaces }) => surfaces === undefined || surfaces.includes('api'))
        .map((action) => wireAction(action, caller))
      return { message: `${list.length} actions`, list }
    },
  }
}

type OfAction =
  | 'name'
  | 'group'
  | 'summary'
  | 'description'
  | 'ability'
  | 'mutating'
  | 'destructive'
  | 'harmlessWith'
  | 'destructiveWith'

/** What can be asked, as `actions` answers it. Its name has a hyphen between two words: `backups-verify`. */
export type WireAction = Pick<Action, OfAction> & {
  readonly aliases: readonly string[]
  readonly parameters: readonly WireInput[]
  readonly options: readonly WireInput[]
  /** Whether the caller may ask it. */
  readonly allowed: boolean
}

export type WireInput = Pick<Parameter & Option, 'name' | 'type' | 'summary' | 'choices' | 'min' | 'max'> &
  Readonly<Record<'required' | 'variadic' | 'secret', boolean>>

function wireAction(action: Action, caller: Caller): WireAction {
  const { name, aliases = [], group, summary, description, ability, mutating, destructive } = action
  const { harmlessWith, destructiveWith } = action
  return {
    name: wordsOf(name),
    aliases: aliases.map(wordsOf),
    group,
    summary,
    ability,
    mutating,
    ...(description !== undefined && { description }),
    ...(destructive !== undefined && { destructive }),
    ...(harmlessWith !== undefined && { harmlessWith }),
    ...(destructiveWith !== undefined && { destructiveWith }),
    parameters: inputsOf(action.parameters),
    options: inputsOf(action.options?.filter((option) => whyNotOption(option, caller) === undefined)),
    allowed: whyNot(action, caller) === undefined,
  }
}

/** As the API takes it. */
function wordsOf(name: string): string {
  return name.replaceAll(' ', '-')
}

/** Files of this machine are for its own users. */
function inputsOf(inputs: readonly (Parameter & Option)[] = []): readonly WireInput[] {
  return inputs
    .filter(({ type, surfaces }) => type !== 'file' && (surfaces ?? ['api']).includes('api'))
    .map(({ name, type, summary, required = false, variadic = false, choices, min, max, secret = false }) => ({
      name,
      type,
      summary,
      required,
      variadic,
      secret,
      ...(choices && { choices: [...choices] }),
      ...(min !== undefined && { min }),
      ...(max !== undefined && { max }),
    }))
}
