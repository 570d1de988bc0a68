import { constants } from 'node:os'

/** A program with all that it is started with. */
export interface Launch {
  readonly command: string
  readonly args: readonly string[]
  readonly folder: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** An open file that is its standard input. Default: that of the caller. */
  readonly input?: number | undefined
}

/** The exit code of a program that has ended, or 128 + the number of the signal that ended it. */
export function exitCodeOf(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + (signal ? constants.signals[signal] : 0)
}
