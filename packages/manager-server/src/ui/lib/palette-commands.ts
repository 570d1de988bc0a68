import type { WireAction } from '@steward/manager-core'
import { subjectOf } from './action-input.js'

/** Something that the palette can do or lead to. */
export interface Command {
  readonly id: string
  readonly label: string
  readonly about: string
  /** What it does: shows a page, or calls an action. */
  readonly to:
    | { readonly page: readonly string[] }
    | { readonly action: WireAction; readonly instances: readonly string[] }
}

export interface CommandsOf {
  readonly words: string
  readonly actions: readonly WireAction[]
  readonly titleOf: (action: WireAction) => string
  readonly pages: readonly Command[]
  readonly instances: readonly { readonly name: string; readonly about: string }[]
  /** Name of the instance whose page is shown. */
  readonly current: string | undefined
  /** Names of those that are selected. */
  readonly chosen: readonly string[]
  /** Ids of commands, the latest first. */
  readonly recent: readonly string[]
  /** What stands beside an instance without an owner, and beside an action on those that are selected. */
  readonly texts: { readonly instance: string; readonly selected: string }
}

/** How many lines are offered. */
const most = 40
/** How many instances are combined with actions. */
const mostCombined = 12

/**
 * What fits the words, best first: what was chosen lately, actions on the selected or the shown instance, pages, instances,
 * and each action on each instance whose names the words have.
 */
export function commandsOf(of: CommandsOf): readonly Command[] {
  const words = of.words.toLowerCase().split(/\s+/).filter(Boolean)
  const isAbout = (action: WireAction) => subjectOf(action)?.type === 'instance'
  const on = (action: WireAction, names: readonly string[]): Command => ({
    id: `action ${action.name} ${names.join(' ')}`.trim(),
    label: [of.titleOf(action), ...(names.length === 1 ? names : [])].join(' '),
    about: names.length > 1 ? of.texts.selected : action.name,
    to: { action, instances: names },
  })
  const ofOne = of.actions.filter(isAbout)
  const changing = ofOne.filter(({ mutating }) => mutating)
  const places = of.instances.map(({ name, about }): Command => ({
    id: `instance ${name}`,
    label: name,
    about: about || of.texts.instance,
    to: { page: ['instances', name] },
  }))
  const general = of.actions.filter((action) => !isAbout(action)).map((action) => on(action, []))
  const here = of.current === undefined ? [] : ofOne.map((action) => on(action, [of.current as string]))
  const selected = of.chosen.length > 0 ? changing.map((action) => on(action, of.chosen)) : []
  // Only what words name: every action on every instance would be thousands.
  const named = words.length > 1 ? of.instances.filter(({ name }) => words.some((word) => has(name, word))) : []
  const combined = named
    .slice(0, mostCombined)
    .filter(({ name }) => name !== of.current)
    .flatMap(({ name }) => ofOne.map((action) => on(action, [name])))
  const all = [...selected, ...here, ...of.pages, ...places, ...general, ...combined]
  const fitting = unique(all).filter((command) => words.every((word) => has(textOf(command), word)))
  // What the words say exactly comes before what was chosen lately, and that before all others.
  const rank = ({ id, label }: Command) => {
    const latest = of.recent.indexOf(id)
    if (words.length > 0 && label.toLowerCase() === words.join(' ')) return -1
    if (latest >= 0) return latest
    return words.length > 0 && label.toLowerCase().startsWith(words[0] as string) ? 100 : 101
  }
  return fitting.toSorted((a, b) => rank(a) - rank(b)).slice(0, most)
}

/** What words are looked for in: an action also has the name that the command line knows it by. */
function textOf({ label, about, to }: Command): string {
  return [label, about, 'action' in to ? to.action.name : ''].join(' ')
}

/** Each command once. */
function unique(commands: readonly Command[]): readonly Command[] {
  return [...new Map(commands.map((command) => [command.id, command])).values()]
}

function has(text: string, word: string): boolean {
  return text.toLowerCase().includes(word)
}

/** The only inputs that must be asked for when an action is to run at once. */
export function neededFields({ parameters, options }: WireAction): readonly string[] {
  return [...parameters, ...options].filter(({ required }) => required).map(({ name }) => name)
}
