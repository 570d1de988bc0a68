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
  /** What the command line offers. */
  readonly actions: readonly Action[]
  /** Looked up when they are needed. */
  instances(): readonly string[]
  versions(): readonly string[]
  runtimes(): readonly string[]
}

/** Options of every command; those with a value take a path. */
const globals: readonly Option[] = [
  { name: 'home', type: 'file', summary: "The manager's home" },
  { name: 'json', type: 'flag', summary: 'Print the result as JSON' },
  { name: 'quiet', type: 'flag', summary: 'Print results and errors only' },
  { name: 'verbose', type: 'flag', summary: 'Print where an error came from' },
  { name: 'no-color', type: 'flag', summary: 'No colours' },
  { name: 'help', short: 'h', type: 'flag', summary: 'Print help' },
]
const ofChanges: readonly Option[] = [
  { name: 'yes', type: 'flag', summary: 'Confirm without a prompt' },
  { name: 'dry-run', type: 'flag', summary: 'Print what would be done' },
  { name: 'wait', type: 'flag', summary: 'Wait if another command is using the instance' },
]

/** Commands that are not actions. */
const others: readonly Pick<Action, 'name' | 'summary' | 'parameters'>[] = [
  { name: 'help', summary: 'Print the help of a command' },
  {
    name: 'completion',
    summary: 'Print a completion script for a shell',
    parameters: [{ name: 'shell', type: 'choice', choices: shells, summary: 'Shell' }],
  },
]

/** @param words after the program's name, up to the cursor; the last one is being typed, perhaps empty */
export function candidatesFor(words: readonly string[], facts: CompletionFacts): Candidates {
  const before = words.slice(0, -1)
  const current = words.at(-1) ?? ''
  const all = allCandidates(before, current, facts)
  return all === 'files' ? all : all.filter(({ value }) => value.startsWith(current))
}

function allCandidates(before: readonly string[], current: string, facts: CompletionFacts): Candidates {
  const { positional, pending, used, action } = read(before, facts)
  if (pending) return valuesOf(pending, facts)
  if (current.startsWith('-')) return optionsOf(action).flatMap((option) => flagOf(option, used))
  const [command, ...rest] = positional[0] === 'help' ? positional.slice(1) : positional
  if (command === undefined) return commands(facts)
  const seconds = rest.length === 0 ? commandsBelow(command, facts) : []
  if (positional[0] === 'help') return seconds
  const { name, parameters = [] } = action ?? others.find((one) => one.name === command) ?? { name: command }
  const given = name === `${command} ${rest[0]}` ? rest.slice(1) : rest
  const parameter = parameters[given.length] ?? parameters.findLast(({ variadic }) => variadic)
  const values = parameter ? valuesOf(parameter, facts) : []
  return values === 'files' ? values : [...seconds, ...values]
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
      action = (positional.length <= 2 ? named(positional.join(' '), actions) : undefined) ?? action
    }
  }
  return { positional, pending, used, action }
}

function named(words: string, actions: readonly Action[]): Action | undefined {
  return actions.find(({ name, aliases }) => name === words || aliases?.includes(words))
}

function optionsOf(action: Action | undefined): readonly Option[] {
  return [...(action?.options ?? []), ...(action?.mutating === false ? [] : ofChanges), ...globals]
}

function flagOf({ name, summary }: Option, used: ReadonlySet<string>): Candidate[] {
  return used.has(name) ? [] : [{ value: `--${wordOf(name)}`, description: summary }]
}

/** First words; of those that start several commands, all second words say what it is about. */
function commands(facts: CompletionFacts): Candidate[] {
  const found = new Map<string, Candidate>()
  for (const { name, summary } of [...facts.actions, ...others]) {
    const [value = ''] = name.split(' ')
    const seconds = commandsBelow(value, facts).map((one) => one.value)
    if (!found.has(value)) found.set(value, { value, description: seconds.join(', ') || summary })
  }
  return [...found.values()]
}

/** Second words of commands that begin with a word. */
function commandsBelow(first: string, { actions }: CompletionFacts): Candidate[] {
  return actions
    .filter(({ name }) => name.startsWith(`${first} `))
    .map(({ name, summary }) => ({ value: name.slice(first.length + 1), description: summary }))
}

function valuesOf({ type, choices = [] }: Parameter | Option, facts: CompletionFacts): Candidates {
  const listed = (values: readonly string[], description: string) => values.map((value) => ({ value, description }))
  const byType: Partial<Record<InputType, () => Candidates>> = {
    instance: () => listed(facts.instances(), 'instance'),
    version: () => listed(facts.versions(), 'version'),
    runtime: () => listed(facts.runtimes(), 'runtime'),
    choice: () => listed(choices, ''),
    'yes-no': () => listed(['yes', 'no'], ''),
    file: () => 'files',
  }
  return byType[type]?.() ?? []
}
