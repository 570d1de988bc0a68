import type { Limits } from '../domain/limits.js'

type Prefix = 'APPS' | 'SERVICE'

/** Limits in a settings file. */
export function limitsOf<P extends Prefix>(
  value: (name: `${P}_LIMIT_${'MEMORY' | 'CPU' | 'PROCESSES' | 'FILES'}`) => number | undefined,
  prefix: P,
): Limits {
  return {
    memory: value(`${prefix}_LIMIT_MEMORY`),
    cpu: value(`${prefix}_LIMIT_CPU`),
    processes: value(`${prefix}_LIMIT_PROCESSES`),
    files: value(`${prefix}_LIMIT_FILES`),
  }
}

/** For each limit, the first of several places that sets it. */
export function firstLimits(...places: readonly (Limits | undefined)[]): Limits {
  const first = (name: keyof Limits) => places.find((limits) => limits?.[name] !== undefined)?.[name]
  return { memory: first('memory'), cpu: first('cpu'), processes: first('processes'), files: first('files') }
}
