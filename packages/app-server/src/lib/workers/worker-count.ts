import { availableParallelism } from 'node:os'

/** How many of `asked` workers there are on this machine. */
export function workerCount(asked: number | 'auto', cores: number = availableParallelism()): number {
  return asked === 'auto' ? cores : asked
}

/** What to say about a number that is likely a mistake; undefined: nothing. */
export function tooManyWorkers(count: number, cores: number = availableParallelism()): string | undefined {
  if (count <= cores * 4) return undefined
  return (
    `${count} workers are started on ${cores} CPU cores. More than ${cores * 4} rarely help, and each takes memory and ` +
    'database connections; "auto" starts one per core.'
  )
}

/**
 * Most database connections of each of `count` processes: 10 for one or two, then a share of 20, but 4 at least, so that
 * a few long searches do not hold all of them.
 */
export function connectionsEach(count: number): number {
  return Math.min(10, Math.max(4, Math.ceil(20 / count)))
}
