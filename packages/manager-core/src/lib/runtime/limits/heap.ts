import { basename } from 'node:path'
import type { InstanceSpec } from '../runtime.js'
import type { CgroupBase } from './cgroups.js'

/** Whether a program takes Node's options. */
export function isNode(program: string): boolean {
  return /^node(js)?$/.test(basename(program))
}

/**
 * Limit of Node's heap, in MB; undefined: Node's own, which follows the memory limit of a cgroup. Where there is none,
 * the memory limit is that of the heap, too: a process may take much more than that without Node.
 */
export function heapOf(
  { maxMemoryMb, limits, command }: Pick<InstanceSpec, 'maxMemoryMb' | 'limits' | 'command'>,
  base: CgroupBase,
): number | undefined {
  if (!isNode(command[0] ?? '')) return undefined
  if (maxMemoryMb !== undefined) return maxMemoryMb
  const isCounted = !('problem' in base) && base.limits.has('memory')
  return isCounted || !limits?.memory ? undefined : limits.memory
}
