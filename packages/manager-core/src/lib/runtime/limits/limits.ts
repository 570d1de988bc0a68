export const limitNames = ['heap', 'memory', 'cpu', 'processes', 'files'] as const
export type LimitName = (typeof limitNames)[number]

/**
 * How the kernel holds instances to a limit. `cgroup`: all processes together, counted by what they use; `rlimit`: memory
 * and files of each process by itself, and processes by the account that only this instance has; `node`, `java`: by
 * the program itself; `none`: not at all.
 */
export type LimitedBy = 'cgroup' | 'rlimit' | 'node' | 'java' | 'none'

/** A limit that was set, as it holds for processes that run. */
export interface LimitInForce {
  readonly name: LimitName
  /** See `Limits`. */
  readonly value: number
  readonly by: LimitedBy
  /** How often it was reached since the start, where the kernel counts it: ends for memory, refused processes, pauses for CPU. */
  readonly reached?: number
}

/** `512 MB`, `1024 processes` */
export function limitText({ name, value }: Pick<LimitInForce, 'name' | 'value'>): string {
  return {
    heap: `${value} MB`,
    memory: `${value} MB`,
    cpu: `${value} % of a CPU`,
    processes: `${value}`,
    files: `${value}`,
  }[name]
}
