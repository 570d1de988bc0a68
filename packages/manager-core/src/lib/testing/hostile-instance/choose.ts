import { randomOf } from '../simulation/random.js'
import type { Attack } from './attack.js'
import { groups } from './attacks.js'
import { changes, operations, reports, type Operation } from './operations.js'

/** Attacks that are there at the same time, and what is done meanwhile. */
export interface Round {
  readonly name: string
  readonly attacks: readonly Attack[]
  readonly operations: readonly Operation[]
}

/** What once did harm, or stopped the manager: it is tried each time. */
const known: readonly (readonly [group: string, ...operations: readonly string[]])[] = [
  ['logs', 'accesslogs', 'logs', 'download logs'],
  ['races', 'restore and purge', 'download all'],
  ['taken streams', 'save'],
  ['stopped children', 'save', 'rollback'],
  ['stopped workers', 'dbinfo'],
  ['database: an index of the journal that shrinks while it is mapped', 'doctor', 'restart'],
  ['database: a database that stays locked', 'doctor'],
  ['programs: output without an end', 'anonymise'],
  ['programs: a child that keeps the streams', 'anonymise'],
  ['database: a database that is a pipe', 'anonymise'],
  ['log as a pipe', 'isolate'],
]

/** Groups that are waited for until a limit of minutes: only all rounds have them. */
const slow: readonly string[] = ['programs: no answer', 'programs: a child that keeps the streams']

/** Groups whose attacks can be there together: of those that need the same file, one. */
function crowd(pick: <T>(among: readonly T[]) => T): readonly Attack[] {
  const families = new Map<string, string[]>()
  for (const group of groups.keys()) {
    if (slow.includes(group)) continue
    const family = /^(?:database|description|programs|answers)(?=:)/.exec(group)?.[0] ?? group
    families.set(family, [...(families.get(family) ?? []), group])
  }
  // What others do would be hidden by them, or wait for them; and those that never rest take a processor.
  const apart = ['pipe as the key', 'pipe as the description', 'races', 'taken streams']
  apart.push('stopped children', 'stopped workers', 'killed children')
  for (const family of families.keys())
    if (apart.includes(family) || family.startsWith('log as')) families.delete(family)
  return [...families.values()].flatMap((some) => groups.get(pick(some)) ?? [])
}

/** As many attacks as can be there at the same time, with these operations. */
export function crowdRound(seed: number, ...names: readonly string[]): Round {
  const random = randomOf(seed)
  return {
    name: 'all at the same time',
    attacks: crowd((among) => random.pick(among)),
    operations: operations.filter(({ name }) => names.includes(name)),
  }
}

/** One group of attacks with these operations. */
export function groupRound(group: string, ...names: readonly string[]): Round {
  const attacks = groups.get(group) ?? []
  return { name: group, attacks, operations: operations.filter(({ name }) => names.includes(name)) }
}

/** What is tried with each runtime: what looks at processes, logs and files of instances, and what copies and removes them. */
export const runtimeRounds: readonly Round[] = [
  crowdRound(1, 'list', 'get', 'health', 'logs', 'accesslogs', 'doctor'),
  groupRound('quiet', 'save', 'clone', 'download all', 'restart', 'move', 'restore --as', 'delete and purge'),
  groupRound('logs', 'logs', 'accesslogs'),
  groupRound('links', 'clone', 'download all', 'doctor --fix'),
  groupRound('races', 'restore and purge', 'download all'),
]

/** All rounds: each group of attacks with each operation. */
export const allRounds: readonly Round[] = [...groups].map(([name, attacks]) => ({ name, attacks, operations }))

/** Some of them: what is known, all reports with as many attacks as possible, and a third of the changes with one group each. */
export function someRounds(seed: number): readonly Round[] {
  const random = randomOf(seed)
  const names = [...groups.keys()].filter((name) => !slow.includes(name))
  const byGroup = new Map<string, Set<string>>(known.map(([group, ...some]) => [group, new Set(some)]))
  for (const { name } of changes.filter(() => random.chance(1 / 3))) {
    const group = random.pick(names)
    byGroup.set(group, (byGroup.get(group) ?? new Set()).add(name))
  }
  return [
    crowdRound(seed, ...reports.map(({ name }) => name)),
    ...[...byGroup].map(([name, some]) => groupRound(name, ...some)),
  ]
}
