import type { Action, InputType, Option, Parameter } from '@steward/manager-core'
import { wordOf } from '../word-of.js'
import { shells } from './scripts.js'

export interface Candidate {
  readonly value: string
  readonly description: string
}

/** What can stand where the cursor is. `files`: any path, which the shell knows better. */
export type Candidates = readonly Candidate[] | 'files'

export interface CompletionFacts {
  /** Of the command line. */
  readonly actions: readonly Action[]
  /** Looked up when they are needed. */
  instances(): readonly string[]
  versions(): readonly string[]
}

/** Options of every command; those with a value take a path. */
const globals: readonly Option[] = [
  { name: 'home', type: 'file', summary: "The manager's home" },
  { name: 'json', type: 'flag', summary: 'Print one JSON document' },
  { name: 'quiet', type: 'flag', summary: 'Print results and errors only' },
  { name: 'verbose', type: 'flag', summary: 'Print where an error came from' },
  { name: 'no-color', type: 'flag', summary: 'No colours' },
  { name: 'help', short: 'h', type: 'flag', summary: 'Print help' },
]
const ofChanges: readonly Option[] = [
  { name: 'yes', type: 'flag', summary: 'Do not ask before something is lost' },
  { name: 'dry-run', type: 'flag', summary: 'Print what would be done' },
  { name: 'wait', type: 'flag', summary: 'Wait while another command holds the instance' },
]

/** Commands that are not actions. */
const others: readonly Pick<Action, 'name' | 'summary' | 'parameters'>[] = [
  { name: 'help', summary: 'Print the help of a command' },
  {
    name: 'completion',
    summary: 'Print what lets a shell complete commands',
    parameters: [{ name: 'shell', type: 'choice', choices: shells, summary: 'Which shell' }],
  },
]

/** @param words behind the program's name, up to the cursor; the last one is being typed, perhaps empty */
export function candidatesFor(words: readonly string[], facts: CompletionFacts): Candidates {
  const before = words.slice(0, -1)
  const current = words.at(-1) ?? ''
  const all = allCandidates(before, current, facts)
  return all === 'files' ? all : all.filter(({ value }) => value.startsWith(current))
}

function allCandidates(before: readonly string[], current: string, facts: CompletionFacts): Candidates {
  const { positional, pending, used, action } = read(before, facts)
  if (pending) return valuesOf(pending, facts)
  const [command] = positional
  if (current.startsWith('-')) return optionsOf(action).flatMap((option) => flagOf(option, used))
  if (command === undefined || (command === 'help' && positional.length === 1)) return commands(facts)
  const parameters = (action ?? others.find(({ name }) => name === command))?.parameters ?? []
  const parameter = parameters[positional.length - 1] ?? parameters.findLast(({ variadic }) => variadic)
  return parameter ? valuesOf(parameter, facts) : []
}

/** What stands before the cursor: positional words, options, and an option whose value is awaited. */
function read(words: readonly string[], { actions }: CompletionFacts) {
  const positional: string[] = []
  const used = new Set<string>()
  let pending: Option | undefined
  let action: Action | undefined
  for (const word of words) {
    if (pending) {
      pending = undefined
    } else if (word.startsWith('-')) {
      const option = optionsOf(action).find(({ name, short }) => [`--${wordOf(name)}`, `-${short}`].includes(word))
      if (option) used.add(option.name)
      if (option && option.type !== 'flag') pending = option
    } else {
      positional.push(word)
      if (positional.length === 1)
        action = actions.find(({ name, aliases }) => name === word || aliases?.includes(word))
    }
  }
  return { positional, pending, used, action }
}

function optionsOf(action: Action | undefined): readonly Option[] {
  return [...(action?.options ?? []), ...(action?.mutating === false ? [] : ofChanges), ...globals]
}

function flagOf({ name, summary }: Option, used: ReadonlySet<string>): Candidate[] {
  return used.has(name) ? [] : [{ value: `--${wordOf(name)}`, description: summary }]
}

function commands({ actions }: CompletionFacts): Candidate[] {
  return [...actions, ...others].map(({ name, summary }) => ({ value: name, description: summary }))
}

function valuesOf({ type, choices = [] }: Parameter | Option, facts: CompletionFacts): Candidates {
  const listed = (values: readonly string[], description: string) => values.map((value) => ({ value, description }))
  const byType: Partial<Record<InputType, () => Candidates>> = {
    instance: () => listed(facts.instances(), 'instance'),
    version: () => listed(facts.versions(), 'version'),
    choice: () => listed(choices, ''),
    'yes-no': () => listed(['yes', 'no'], ''),
    file: () => 'files',
  }
  return byType[type]?.() ?? []
}
