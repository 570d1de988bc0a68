import type { ManagerContext } from '../context.js'
import type { Limits } from '../domain/limits.js'
import type { Instance } from '../domain/instance.js'
import { refOf } from '../runtime/instance-ref.js'
import { limitText, type LimitInForce, type LimitName } from '../runtime/limits/limits.js'
import { firstLimits } from '../settings/limits.js'

/** Limits of an instance as surfaces show them: those of its processes, or what its next start will ask for. */
export type WireLimits = {
  readonly limit_memory: string
  readonly limit_cpu: string
  readonly limit_processes: string
  readonly limit_files: string
}

export async function wireLimits(context: ManagerContext, instance: Instance): Promise<WireLimits> {
  const { limits } = await context.runtimes.observe(refOf(context, instance))
  if (limits) return wire((name) => inForceText(limits, name))
  try {
    const set = await limitsSet(context, instance)
    return wire((name) => (set[name] ? limitText({ name, value: set[name] }) : 'none'))
  } catch {
    // Its settings cannot be read: the rest is worth showing all the same.
    return wire(() => 'unknown')
  }
}

/** As they are in its settings, its version's, and the manager's. */
export async function limitsSet(
  { home, settings }: Pick<ManagerContext, 'home' | 'settings'>,
  { id, version }: Pick<Instance, 'id' | 'version'>,
): Promise<Limits> {
  const [own, ofVersion] = await Promise.all([settings.instance(home.instance(id).folder), settings.version(version)])
  return firstLimits(own.limits, ofVersion.limits, settings.global.limits)
}

function wire(textOf: (name: keyof Limits) => string): WireLimits {
  return {
    limit_memory: textOf('memory'),
    limit_cpu: textOf('cpu'),
    limit_processes: textOf('processes'),
    limit_files: textOf('files'),
  }
}

function inForceText(limits: readonly LimitInForce[], name: keyof Limits): string {
  const heap = name === 'memory' ? limits.find((one) => one.name === 'heap') : undefined
  const limit = limits.find((one) => one.name === name)
  const texts = [
    ...(limit ? [`${limitText(limit)} (${heldBy[limit.by](name)})`] : []),
    ...(limit?.reached ? [limit.reached === 1 ? 'reached once' : `reached ${limit.reached} times`] : []),
    ...(heap ? [`heap of ${heldBy[heap.by]('heap')} ${limitText(heap)}`] : []),
  ]
  return texts.join(', ') || 'none'
}

const heldBy: Readonly<Record<LimitInForce['by'], (name: LimitName) => string>> = {
  cgroup: () => 'cgroup',
  rlimit: (name) => (name === 'processes' ? 'rlimit of its account' : 'rlimit of each process'),
  node: () => 'Node',
  java: () => 'Java',
  none: () => 'not enforced here',
}
