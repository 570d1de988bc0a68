import { isDeepStrictEqual } from 'node:util'
import type { JournalPoint } from '../operation/operation.js'

/** What a program prints that survived. */
export interface CrashReport {
  readonly points: readonly JournalPoint[]
  /** Code and message of the error that ended it. */
  readonly error?: string | undefined
}

/** Kills this process at the n-th entry of the journal, counted from 1, or at that entry; undefined: never. */
export function crashAt(at: number | JournalPoint | undefined) {
  const points: JournalPoint[] = []
  return {
    onPoint(point: JournalPoint): void {
      points.push(point)
      if (points.length === at || isDeepStrictEqual(point, at)) process.kill(process.pid, 'SIGKILL')
    },
    /** Runs it and prints what came of it. */
    async report(work: () => Promise<unknown>): Promise<void> {
      const error = await work().then(
        () => undefined,
        (failure: Error & { code?: string }) => `${failure.code} ${failure.message}`,
      )
      process.stdout.write(JSON.stringify({ points, error } satisfies CrashReport))
    },
  }
}
