import type { VariableChange } from '../variable.js'

/** Rows of tables of variables, in short. */

export function text<const S extends string>(section: S, summary: string) {
  return { type: 'text', section, summary } as const
}

export function secret<const S extends string>(section: S, summary: string) {
  return { type: 'secret', section, summary } as const
}

export function yesNo(section: string, ofNone: 'yes' | 'no', summary: string) {
  return { type: 'yes-no', section, summary, default: ofNone } as const
}

export function trueFalse(section: string, ofNone: 'true' | 'false', summary: string) {
  return { type: 'true-false', section, summary, default: ofNone } as const
}

/** Limits of what an instance may use, in all the places where they can be set. Not in the requirements. */
export function limits<const P extends string>(prefix: P, section: string, change?: VariableChange) {
  const row = (summary: string, min: number, max: number) =>
    ({
      type: 'limit',
      section,
      summary: `${summary}; 0: no limit`,
      min,
      max,
      ...(change && { change }),
    }) as const
  return {
    [`${prefix}_LIMIT_MEMORY`]: row('Maximum memory in MB of all processes of an instance', 64, 100_000_000),
    [`${prefix}_LIMIT_CPU`]: row('Maximum CPU of all processes of an instance, in percent of one CPU', 1, 100_000),
    [`${prefix}_LIMIT_PROCESSES`]: row('Maximum number of processes and threads of an instance', 32, 1_000_000),
    [`${prefix}_LIMIT_FILES`]: row('Maximum number of open files per process of an instance', 128, 1_000_000_000),
  } as LimitRows<P>
}

/** Seconds, in all the places where they can be set. */
export function sleepAfter<const S extends string>(section: S, rest: string) {
  const summary = `Seconds without a request until it falls asleep${rest}`
  return { type: 'integer', section, summary, min: 0, max: 31_536_000 } as const
}

type LimitRow = {
  readonly type: 'limit'
  readonly section: string
  readonly summary: string
  readonly min: number
  readonly max: number
  readonly change?: VariableChange
}
type LimitRows<P extends string> = {
  readonly [N in `${P}_LIMIT_${'MEMORY' | 'CPU' | 'PROCESSES' | 'FILES'}`]: LimitRow
}

export function integer(section: string, ofNone: string, summary: string, min = 0, max = Number.MAX_SAFE_INTEGER) {
  return { type: 'integer', section, summary, default: ofNone, min, max } as const
}

/** How long or how often something is done. */
export function pace(...[section, ofNone, summary, min, max]: Parameters<typeof integer>) {
  return { ...integer(section, ofNone, summary, min, max), defaultIfWrong: true } as const
}
