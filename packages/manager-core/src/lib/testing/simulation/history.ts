import type { Input } from '../../domain/input.js'
import type { HookName } from '../../hooks/hooks.js'
import { partsOf, type Condition } from './machine.js'
import { managersHost } from './proxy.js'
import { randomOf, type Random } from './random.js'

/** An action as a process of its own performs it. */
export interface Command {
  readonly action: string
  readonly input: Readonly<Record<string, Input>>
  /** It is killed right after this effect; undefined: it is not. */
  readonly killAt?: number | undefined
}

/** One thing that happens. Its seed decides what is random in it, so that others may be left out. */
export type Happening = { readonly seed: number } & (
  | ({
      readonly type: 'command'
      /** At which effects the recoveries of a killed one are killed, one after the other. */
      readonly recoveriesKilledAt: readonly number[]
    } & Command)
  /** At the same time, by several managers. */
  | { readonly type: 'together'; readonly commands: readonly Command[] }
  | { readonly type: 'data'; readonly name: string }
  | { readonly type: 'application'; readonly name: string; readonly does: 'start' | 'fail' | 'hang' }
  | { readonly type: 'template'; readonly does: 'start' | 'fail' }
  | { readonly type: 'disk'; readonly isFull: boolean }
  | { readonly type: 'database server' | 'target' | 'account tools' | 'proxy'; readonly condition: Condition }
  /** At the standard address of a name, by way of the reverse proxy. The server of the manager may be killed meanwhile. */
  | { readonly type: 'request'; readonly name: string; readonly killAt?: number | undefined }
  | { readonly type: 'port'; readonly port: number }
  | { readonly type: 'hook'; readonly hook: HookName; readonly does: 'pass' | 'fail' | 'go' }
  | { readonly type: 'time'; readonly hours: number }
)

const names = ['alpha', 'beta', 'gamma'] as const
/** Those that commands run most. */
const hooks: readonly HookName[] = [
  'pre-start',
  'post-start',
  'pre-stop',
  'post-stop',
  'pre-save',
  'pre-del',
  'pre-add',
]

/** What there is when nothing fails: most commands are about that. */
interface Expected {
  /** Names of instances. */
  readonly there: Set<string>
  /** Names that instances had. */
  readonly had: Set<string>
  /** Names of those that were put to sleep. */
  readonly asleep: Set<string>
  /** Names of what was deleted. */
  readonly trash: Set<string>
  /** Actions by how often they are wanted. */
  readonly actions: readonly string[]
  readonly isolates: boolean
  readonly publishes: boolean
}

/** About how many effects an action has. */
const mostEffects: Readonly<Record<string, number>> = {
  ...{ start: 50, stop: 45, rename: 50, delete: 60, refresh: 70 },
  ...{ sleep: 28, wake: 40, seturl: 38, reseturl: 38, isolate: 60 },
}

/** A history of that many happenings that follows from a seed. */
export function historyOf(seed: number, length?: number): readonly Happening[] {
  const random = randomOf(seed)
  const parts = partsOf(seed)
  const expected: Expected = {
    there: new Set(),
    had: new Set(),
    asleep: new Set(),
    trash: new Set(),
    actions: [...actions, ...(parts.isolates ? actionsOfAccounts : []), ...(parts.publishes ? actionsOfAddresses : [])],
    ...parts,
  }
  const history: Happening[] = [
    { seed: random.below(2 ** 31), type: 'command', ...commandOf('add', random, expected), recoveriesKilledAt: [] },
  ]
  // Those without any stay as they were before there were hooks.
  const hasHooks = seed % 4 === 3
  for (let left = length ?? 3 + random.below(10); left > 1; left--) {
    if (hasHooks && random.chance(0.3)) history.push(hookOf(random))
    history.push(happening(random, expected))
  }
  return history
}

function hookOf(random: Random): Happening {
  const seed = random.below(2 ** 31)
  return { seed, type: 'hook', hook: random.pick(hooks), does: random.pick(['pass', 'fail', 'go']) }
}

function happening(random: Random, expected: Expected): Happening {
  const { there, isolates, publishes } = expected
  const seed = random.below(2 ** 31)
  if ((isolates || publishes) && random.chance(expected.asleep.size > 0 ? 0.35 : 0.2))
    return happeningOfParts(seed, random, expected)
  const dice = random.below(100)
  if (dice < 10) {
    const commands = [0, 1].map(() => {
      const command = commandOf(random.pick(expected.actions), random, expected)
      return random.chance(0.2) ? { ...command, killAt: killOf(command.action, random) } : command
    })
    return { seed, type: 'together', commands }
  }
  if (dice < 16) return { seed, type: 'data', name: existing(random, there) }
  if (dice < 22)
    return { seed, type: 'application', name: existing(random, there), does: random.pick(['start', 'fail', 'hang']) }
  if (dice < 25) return { seed, type: 'template', does: random.pick(['start', 'start', 'fail']) }
  if (dice < 27) return { seed, type: 'disk', isFull: random.chance(0.6) }
  if (dice < 31)
    return {
      seed,
      type: random.pick(['database server', 'target']),
      condition: random.pick(['well', 'well', 'slow', 'failing', 'down']),
    }
  if (dice < 32) return { seed, type: 'port', port: 20_000 + random.below(3) }
  if (dice < 36) return { seed, type: 'time', hours: 1 + random.below(100) }
  const command = commandOf(random.pick(expected.actions), random, expected)
  const isKilled = random.chance(0.3)
  const kills = isKilled && random.chance(0.3) ? 1 + random.below(2) : 0
  return {
    seed,
    type: 'command',
    ...command,
    killAt: isKilled ? killOf(command.action, random) : undefined,
    recoveriesKilledAt: Array.from({ length: kills }, () => 1 + random.below(30)),
  }
}

function happeningOfParts(seed: number, random: Random, { there, asleep, isolates, publishes }: Expected): Happening {
  if (publishes && random.chance(0.6)) {
    const killAt = random.chance(0.2) ? killOf('wake', random) : undefined
    return { seed, type: 'request', name: existing(random, asleep.size > 0 ? asleep : there), killAt }
  }
  const isOfProxy = publishes && (!isolates || random.chance(0.5))
  const condition = random.pick(['well', 'well', 'slow', 'failing', 'down'] as const)
  return { seed, type: isOfProxy ? 'proxy' : 'account tools', condition }
}

function killOf(action: string, random: Random): number {
  return 1 + random.below(mostEffects[action] ?? 110)
}

const existing = (random: Random, there: ReadonlySet<string>) =>
  there.size > 0 && random.chance(0.98) ? random.pick([...there]) : random.pick(names)

/** Rather one that was used before. */
const free = (random: Random, there: ReadonlySet<string>, had: ReadonlySet<string> = new Set()) => {
  const left = names.filter((name) => !there.has(name))
  const again = left.filter((name) => had.has(name))
  if (left.length === 0 || random.chance(0.03)) return random.pick(names)
  return again.length > 0 && random.chance(0.8) ? random.pick(again) : random.pick(left)
}

const weighted = (weights: Readonly<Record<string, number>>): readonly string[] =>
  Object.entries(weights).flatMap(([action, weight]) => Array.from({ length: weight }, () => action))

/** By how often they are wanted. */
const actions = weighted({
  add: 6,
  save: 16,
  'save to target': 3,
  restore: 6,
  recreate: 2,
  rename: 9,
  clone: 4,
  delete: 5,
  'delete and purge': 2,
  undelete: 4,
  purge: 2,
  reset: 4,
  start: 5,
  stop: 5,
  restart: 8,
  refresh: 4,
  upgrade: 6,
  rollback: 4,
  prove: 2,
  'backups prune': 1,
  saveall: 1,
  autosave: 1,
  protect: 1,
  unprotect: 1,
  neutralise: 1,
})
const actionsOfAccounts = weighted({ isolate: 4, unisolate: 5 })
const actionsOfAddresses = weighted({ sleep: 14, wake: 5, seturl: 5, reseturl: 1 })

/** Those of instances, of no instance, and of the manager. */
const customHosts = [...names.map((name) => `${name}.${managersHost}`), 'shop.test', managersHost]

function commandOf(wanted: string, random: Random, { there, had, asleep, trash }: Expected): Command {
  const kind = kindFor(wanted, there, trash)
  const name = existing(random, there)
  const other = free(random, there, had)
  const comes = (one: string) => there.add(one)
  const goes = (one: string) => {
    there.delete(one)
    asleep.delete(one)
    had.add(one)
  }
  switch (kind) {
    case 'add':
      comes(other)
      return { action: 'add', input: { name: other } }
    case 'clone':
      comes(other)
      return { action: 'clone', input: { name, new: other } }
    case 'rename':
      goes(name)
      comes(other)
      return { action: 'rename', input: { name, new: other } }
    case 'recreate':
      comes(other)
      return { action: 'restore', input: { name, as: other } }
    case 'sleep':
      asleep.add(name)
      return { action: 'sleep', input: { name } }
    case 'unisolate':
      return { action: 'isolate', input: { name, undo: true } }
    case 'seturl':
      return { action: 'seturl', input: { name, url: `http://${random.pick(customHosts)}` } }
    case 'save to target':
      return { action: 'save', input: { name, to: 'nas' } }
    case 'delete':
      goes(name)
      trash.add(name)
      return { action: 'delete', input: { name } }
    case 'delete and purge':
      goes(name)
      return { action: 'delete', input: { name, purge: true } }
    case 'undelete':
    case 'purge': {
      const entry = random.pick([...trash])
      trash.delete(entry)
      if (kind === 'undelete') comes(entry)
      return { action: kind, input: { entry } }
    }
    case 'refresh':
    case 'saveall':
    case 'backups prune':
      return { action: kind, input: {} }
    default:
      return { action: kind, input: { name } }
  }
}

/** Where there is nothing for it to work on, another one. */
function kindFor(wanted: string, there: ReadonlySet<string>, trash: ReadonlySet<string>): string {
  if (there.size === 0) return 'add'
  const isFull = there.size === names.length && ['add', 'clone', 'recreate'].includes(wanted)
  const isEmpty = trash.size === 0 && ['undelete', 'purge'].includes(wanted)
  return isFull ? 'rename' : isEmpty ? 'save' : wanted
}

/** For people, a line each. */
export function textOf(happening: Happening): string {
  const { seed: _seed, type, ...rest } = happening
  return `${type} ${JSON.stringify(rest)}`
}
