import { setTimeout as sleep } from 'node:timers/promises'
import { ManagerError } from '../../errors.js'
import { listPids, statOf, uidOf } from '../system/process-table.js'
import { asAccount, type SystemAccount } from './account.js'
import { findAccount } from './find-account.js'

/** How long processes may take to be gone after SIGKILL, in ms. */
const killMs = 10_000

/**
 * Kills all processes of an account, also those that hid from their supervisor: by one call of the kernel, which none of
 * them can outrun by starting others. Resolves when none is left. Nothing to do without an account.
 */
export async function endAllOf(account: SystemAccount | undefined): Promise<void> {
  // Its number may be another one's by now.
  if (!account || findAccount(account.name)?.uid !== account.uid) return
  const [program, args] = asAccount(account, '/bin/sh')
  const { execa } = await import('execa')
  const left = () => listPids().filter((pid) => uidOf(pid) === account.uid && statOf(pid) !== undefined)
  const begin = performance.now()
  while (left().length > 0) {
    await execa(program, [...args, '-c', 'kill -s KILL -- -1'], { reject: false, stdin: 'ignore' })
    await sleep(5)
    if (performance.now() - begin > killMs)
      throw new ManagerError('ERR_FAILED', `Processes ${left().join(', ')} of "${account.name}" do not end.`, {
        help: 'They wait for a disk or a network drive; see to it, then try again.',
      })
  }
}
