import { totalmem } from 'node:os'
import type { SystemAccount } from '../../accounts/account.js'
import type { Limits } from '../../domain/limits.js'
import { putRunFile, readWords } from '../run-files.js'
import type { InstanceSpec } from '../runtime.js'
import { isCgroupOf, type CgroupBase, endsForMemory, makeCgroup, pidsIn, reachedIn, removeCgroup } from './cgroups.js'
import { heapOf } from './heap.js'
import { limitNames, type LimitedBy, type LimitInForce, type LimitName } from './limits.js'
import { setResourceLimits } from './resource-limits.js'

/** In `run/`: the folder of the cgroup or `-`, then `memory:512:cgroup` … */
const file = 'limits'

interface ConfineOptions {
  readonly pid: number
  readonly base: CgroupBase
  /** That only this instance has. */
  readonly account: SystemAccount | undefined
}

/** Share of the machine's memory for an instance without a limit of its own. */
const usualShare = 0.75

/**
 * Limits a process and all that it will start, before it starts anything. What cannot be held to its limit runs all the
 * same, and `limitsOf` says so.
 *
 * @param run the instance's folder `run/`
 * @returns where its supervisor finds how many the kernel ended for memory, and the limit in MB; undefined: not counted
 */
export async function confine(
  run: string,
  spec: InstanceSpec,
  { pid, base, account }: ConfineOptions,
): Promise<{ readonly events: string; readonly limit: number } | undefined> {
  const { limits = {}, command } = spec
  const wanted: Limits = 'problem' in base ? limits : { ...limits, memory: limits.memory ?? usualMemory() }
  const cgroup =
    'problem' in base ? undefined : await makeCgroup(base, { run, limits: wanted, pid }).catch(() => undefined)
  const isCounted = cgroup?.limits.has('memory') ?? false
  const held = await setResourceLimits(
    { pid, program: command[0] ?? '', account },
    {
      ...(!isCounted && { memory: limits.memory }),
      ...(account && !cgroup?.limits.has('processes') && { processes: limits.processes }),
      files: limits.files,
    },
  )
  writeLimits(run, inForceOf, cgroup?.folder)
  return cgroup && isCounted ? { events: endsForMemory(cgroup.folder), limit: wanted.memory ?? 0 } : undefined

  function inForceOf(name: LimitName): readonly [number | undefined, LimitedBy] {
    if (name === 'heap') return spec.tomcat ? [spec.maxMemoryMb, 'java'] : [heapOf(spec, base), 'node']
    if (cgroup?.limits.has(name)) return [wanted[name], 'cgroup']
    if (held[name]) return [held[name], 'rlimit']
    return [limits[name], 'none']
  }
}

/** For `limitsOf`. @param folder of the cgroup that the manager made */
export function writeLimits(
  run: string,
  inForceOf: (name: LimitName) => readonly [number | undefined, LimitedBy],
  folder = '-',
): void {
  const inForce = limitNames.flatMap((name) => {
    const [value, by] = inForceOf(name)
    return value ? [`${name}:${value}:${by}`] : []
  })
  putRunFile(run, file, `${[folder, ...inForce].join(' ')}\n`)
}

/** Limits of what was started last, until it is stopped. @param folder of its cgroup. Default: the one that was made for it */
export function limitsOf(run: string, folder = cgroupOf(run)): readonly LimitInForce[] {
  const [, ...rest] = readWords(run, file)
  return rest.flatMap((word): LimitInForce[] => {
    const [name, value, by] = word.split(':') as [LimitName, string, LimitedBy]
    if (!limitNames.includes(name)) return []
    const reached = by === 'cgroup' && folder !== undefined ? reachedIn(folder, name) : undefined
    return [{ name, value: Number(value), by, ...(reached !== undefined && { reached }) }]
  })
}

/** The cgroup of what was started last. */
export function cgroupOf(run: string): string | undefined {
  const [folder] = readWords(run, file)
  return folder !== undefined && isCgroupOf(run, folder) ? folder : undefined
}

/** Processes of the instance's cgroup, also those that left its session; none without one. */
export function confinedPids(run: string): readonly number[] {
  const folder = cgroupOf(run)
  return folder === undefined ? [] : pidsIn(folder)
}

/** Ends what is left in the instance's cgroup, and removes it. Nothing to do without one. */
export async function release(run: string): Promise<void> {
  const folder = cgroupOf(run)
  if (folder !== undefined) await removeCgroup(folder)
}

/** What holds instances here that are started by this process, for `doctor`. */
export function howLimited(base: CgroupBase): string {
  if ('problem' in base)
    return (
      'Limits apply to each process of an instance (rlimits), that of processes to those of its system account, and that ' +
      `of CPU not at all: ${base.problem}.`
    )
  return (
    `Limits of ${[...base.limits].join(', ')} apply to all processes of an instance together (cgroup ` +
    `${base.folder}).`
  )
}

/** Megabytes of an instance without a limit of its own, where the kernel counts them. */
export function usualMemory(): number {
  const constrained = process.constrainedMemory()
  const bytes = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
  return Math.floor((bytes * usualShare) / 2 ** 20)
}
