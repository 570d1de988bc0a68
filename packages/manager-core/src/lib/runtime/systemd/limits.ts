import type { Limits } from '../../domain/limits.js'
import { cgroupBase } from '../limits/cgroups.js'
import { usualMemory } from '../limits/confine.js'
import { heapOf } from '../limits/heap.js'
import type { LimitedBy, LimitName } from '../limits/limits.js'
import { dataLimit } from '../limits/resource-limits.js'
import type { InstanceSpec } from '../runtime.js'

export interface UnitLimits {
  /** By its cgroup; files of each process. */
  readonly asked: Limits
  /** Bytes of data of each process, where what all of them use is not counted; 0: no limit. */
  readonly dataBytes: number
  readonly inForce: (name: LimitName) => readonly [number | undefined, LimitedBy]
}

/**
 * How a unit is limited: by its cgroup what the kernel counts there; where memory is not counted, by the data of each
 * process.
 */
export async function limitsFor(spec: InstanceSpec): Promise<UnitLimits> {
  const base = cgroupBase()
  const counted: ReadonlySet<LimitName> = 'problem' in base ? new Set() : base.limits
  const isCounted = counted.has('memory')
  const asked: Limits = isCounted
    ? { ...spec.limits, memory: spec.limits?.memory ?? usualMemory() }
    : (spec.limits ?? {})
  const dataBytes = isCounted ? 0 : await dataLimit(spec.command[0] ?? '', asked.memory ?? 0)
  return {
    asked,
    dataBytes,
    inForce(name) {
      if (name === 'heap') return [heapOf(spec, base), 'node']
      if (counted.has(name)) return [asked[name], 'cgroup']
      return [asked[name], name === 'files' || name === 'memory' ? 'rlimit' : 'none']
    },
  }
}
