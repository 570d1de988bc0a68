import { setTimeout as sleep } from 'node:timers/promises'
import { ManagerError } from '../../errors.js'
import { isInContainer, listPids, statOf, uidOf } from '../system/process-table.js'
import { asAccount, type SystemAccount } from './account.js'
import { findAccount } from './find-account.js'

/** How long processes may take to be gone after SIGKILL, in ms. */
const killMs = 10_000

/** In a row, so often none has to be found where processes are named: one that starts another and ends can be missed. */
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
  const { execa } = await import('execa')
  const all = () => listPids().filter((pid) => uidOf(pid) === account.uid && statOf(pid) !== undefined)
  const begin = performance.now()
  for (let none = 0; none < looks; await sleep(5)) {
    const found = all()
    const left = found.filter((pid) => !isInContainer(pid))
    none = left.length > 0 ? 0 : none + 1
    if (found.length === 0) return
    if (none > 0) continue
    const who = left.length === found.length ? ['-1'] : left.map(String)
    await execa(program, [...args, '-c', 'kill -s KILL -- "$@"', 'sh', ...who], { reject: false, stdin: 'ignore' })
    if (performance.now() - begin > killMs)
      throw new ManagerError('ERR_FAILED', `Processes ${left.join(', ')} of "${account.name}" do not end.`, {
        help: 'They wait for a disk or a network drive; see to it, then try again.',
      })
  }
}
