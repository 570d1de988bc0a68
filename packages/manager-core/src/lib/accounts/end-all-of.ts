import { setTimeout as sleep } from 'node:timers/promises'
import { ManagerError } from '../../errors.js'
import { isInContainer, listPids, statOf, uidOf } from '../system/process-table.js'
import { asAccount, type SystemAccount } from './account.js'
import { findAccount } from './find-account.js'
import { runForeignProgram } from './foreign-program.js'

/** How long processes may take to be gone after SIGKILL, in ms. */
const killMs = 10_000
/** How long one call may take, in ms. */
const callMs = 2_000

/** How often in a row none is found where processes are named, before it is believed: new ones may have come meanwhile. */
const looks = 3

/**
 * Kills all processes of an account, also those that hid from their supervisor: by one call of the kernel, which none of
 * them can outrun by starting others. Resolves when none is left. Nothing to do without an account.
 *
 * Containers have accounts of their own, which may have the same number, and that call would reach into them: while one
 * has processes of this number, those that are to end are named.
 */
export async function endAllOf(account: SystemAccount | undefined): Promise<void> {
  // Its number may be another one's by now.
  if (!account || findAccount(account.name)?.uid !== account.uid) return
  const [program, args] = asAccount(account, '/bin/sh')
  // Those that are to end may stop or end the one that ends them; the next one has another chance.
  const kill = (who: readonly string[]) =>
    runForeignProgram({
      program,
      args: [...args, '-c', 'kill -s KILL -- "$@"', 'sh', ...who],
      environment: { PATH: process.env['PATH'] },
      limitMs: callMs,
      longest: 1_000,
    })
  const all = () => listPids().filter((pid) => uidOf(pid) === account.uid && statOf(pid) !== undefined)
  const begin = performance.now()
  // Finding none proves nothing: processes that start others and end at once are missed.
  for (let none = 0; none < looks; await sleep(5)) {
    const found = all()
    const left = found.filter((pid) => !isInContainer(pid))
    none = left.length > 0 ? 0 : none + 1
    const alone = left.length === found.length
    if (left.length > 0 || alone) await kill(alone ? ['-1'] : left.map(String))
    if (alone && all().length === 0) return
    if (performance.now() - begin > killMs)
      throw new ManagerError('ERR_FAILED', `Processes ${left.join(', ')} of "${account.name}" do not end.`, {
        help: 'They are waiting for a disk or a network drive. Fix it, then try again.',
      })
  }
}
