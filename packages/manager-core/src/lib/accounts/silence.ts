import { basename } from 'node:path'
import { ManagerError } from '../../errors.js'
import { statOf } from '../system/process-table.js'
import type { SystemAccount } from './account.js'

/**
 * An instance can stop what runs as its account (SIGSTOP), or keep its pipes open. Not specified; chosen: longer than a
 * slow disk keeps a program waiting. Tests shorten it.
 */
export const silence = { limitMs: 120_000 }

/** How often it is looked whether something has happened, within the limit. Counted, as a suspended machine is silent, too. */
const looks = 12

export interface WatchedProgram {
  /** Undefined: it was not started. */
  readonly pid: number | undefined
  readonly command: string
  readonly account?: SystemAccount | undefined
}

/**
 * Looks whether programs that work together do something, when one of them runs as an account. Only the others are looked
 * at when there are any: an account can make its own processes look busy.
 *
 * @param onSilence called once, with the reason
 * @returns stops looking
 */
export function watchSilence(
  programs: readonly WatchedProgram[],
  onSilence: (reason: ManagerError) => void,
): () => void {
  const first = programs.find(({ account }) => account)
  if (!first || programs.some(({ pid }) => pid === undefined)) return () => undefined
  const others = programs.filter(({ account }) => !account)
  const watched = others.length > 0 ? others : programs
  let before = -1
  let still = 0
  const timer = setInterval(() => {
    // A program that handles bytes uses the processor.
    const now = watched.reduce((sum, { pid }) => sum + (statOf(pid as number)?.cpuSeconds ?? 0), 0)
    still = now === before ? still + 1 : 0
    before = now
    if (still < looks) return
    clearInterval(timer)
    onSilence(reasonOf(first))
  }, silence.limitMs / looks)
  timer.unref()
  return () => clearInterval(timer)
}

function reasonOf({ command, account }: WatchedProgram): ManagerError {
  const seconds = Math.ceil(silence.limitMs / 1000)
  return new ManagerError(
    'ERR_FAILED',
    `${basename(command)}, which ran as the account "${account?.name}", did nothing for ${seconds} seconds and was ` +
      'ended: the instance stopped its own process, or its disk does not respond.',
    { help: 'Stop the instance, then try again.' },
  )
}
