import { setTimeout as sleep } from 'node:timers/promises'
import { ManagerError } from '../../errors.js'
import { release } from './limits/confine.js'
import { isAlive, lookAt, pidsOf, strayProcesses } from './look.js'
import { accountOfRun, readExit, readSupervisor, removeRunFiles, runFiles, writeExit } from './run-files.js'
import type { ExitInfo } from './runtime.js'
import { askToEnd, signalAll, signalEach } from './signals.js'
import { resume } from './suspension.js'

/** How long the processes of an instance may take to be gone after SIGKILL, in ms. */
const killMs = 10_000

/** Gracefully for a while, then by force; resolves when nothing is left. */
export async function end(run: string, graceMs: number): Promise<ExitInfo> {
  const begin = performance.now()
  const first = lookAt(run)
  const record = readSupervisor(run)
  if (!isAlive(first)) {
    await release(run)
    forget(run)
    return { wasRunning: false }
  }
  if (graceMs > 0) {
    askToEnd(first)
    // A suspended process gets it when it goes on.
    signalAll(first, 'SIGCONT')
  }
  const inTime = graceMs > 0 && (await gone(run, graceMs - (performance.now() - begin)))
  if (!inTime) {
    signalAll(lookAt(run), 'SIGKILL')
    if (!(await gone(run, killMs)))
      throw new ManagerError('ERR_FAILED', `Processes ${pidsOf(lookAt(run)).join(', ')} do not end, although killed.`, {
        help: 'They wait for a disk or a network drive; see to it, then try again.',
      })
  }
  // Nobody waited for one that was killed with its supervisor, or had none.
  if (!inTime || !first.supervisor) removeRunFiles(run, ['exit'])
  if (!inTime) tellKilled(run)
  // Processes that the application left behind.
  if (record) signalEach(strayProcesses(record, accountOfRun(run)), 'SIGKILL')
  await release(run)
  forget(run)
  const { code, signal: by } = readExit(run)?.exit ?? {}
  return {
    wasRunning: true,
    ...(code !== undefined && { code }),
    ...(by !== undefined && { signal: by }),
    ...(!inTime && { forced: true }),
  }
}

function tellKilled(run: string): void {
  try {
    writeExit(run, 'SIGKILL')
  } catch {
    // A full disk: it has ended all the same.
  }
}

/** How it ended last stays. */
function forget(run: string): void {
  resume(run)
  removeRunFiles(
    run,
    runFiles.filter((file) => file !== 'exit'),
  )
}

async function gone(run: string, waitMs: number): Promise<boolean> {
  const begin = performance.now()
  for (let pause = 5; ; pause = Math.min(pause * 1.5, 100)) {
    if (!isAlive(lookAt(run))) return true
    if (performance.now() - begin >= waitMs) return false
    await sleep(pause)
  }
}
