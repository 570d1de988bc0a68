import type { Sample } from '../domain/sample.js'

/** How the last checks of an instance ended. */
export interface Streak {
  /** In a row that were not well, slow ones among them; 0: the last one was well. */
  readonly bad: number
  /** In a row that failed. */
  readonly failed: number
  /** In a row that were well. */
  readonly good: number
  /** The last sample's reason; empty: well. */
  readonly reason: string
}

const none: Streak = { bad: 0, failed: 0, good: 0, reason: '' }

/** Streaks by id of the instance after these checks. Instances that were not checked start again. */
export function continueStreaks(
  before: ReadonlyMap<string, Streak>,
  samples: readonly Sample[],
): ReadonlyMap<string, Streak> {
  return new Map(
    samples.map(({ instanceId, ok, reason }) => {
      const { bad, failed, good } = before.get(instanceId) ?? none
      const isWell = reason === ''
      return [
        instanceId,
        { bad: isWell ? 0 : bad + 1, failed: ok ? 0 : failed + 1, good: isWell ? good + 1 : 0, reason },
      ]
    }),
  )
}
