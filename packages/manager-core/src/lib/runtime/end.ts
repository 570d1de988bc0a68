import { setTimeout as sleep } from 'node:timers/promises'
import { ManagerError } from '../../errors.js'
import { statOf, type ProcessStat } from '../system/process-table.js'
import { release } from './limits/confine.js'
import { isAlive, lookAt, pidsOf, strayProcesses } from './look.js'
import { accountOfRun, readExit, readSupervisor, removeRunFiles, runFiles, writeExit } from './run-files.js'
import type { SupervisorRecord } from './run-files.js'
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
    // A suspended process gets it when it resumes.
    signalAll(first, 'SIGCONT')
  }
  const strays = [...first.strays]
  const isGone = () => !isAlive(lookAt(run)) && !strays.some(isRunning)
  const inTime = graceMs > 0 && (await within(graceMs - (performance.now() - begin), isGone))
  if (!inTime) {
    const last = lookAt(run)
    strays.push(...last.strays)
    signalAll(last, 'SIGKILL')
    if (!(await within(killMs, isGone))) throw unending(pidsOf(lookAt(run)))
  }
  // One that was killed with its supervisor, or had none, was not waited for.
  if (!inTime || !first.supervisor) removeRunFiles(run, ['exit'])
  if (!inTime) tellKilled(run)
  if (record) await endLeftBehind(record, run)
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

/** Kills what the application left behind, also what that still starts; resolves when all of it has ended. */
async function endLeftBehind(record: SupervisorRecord, run: string): Promise<void> {
  const killed: ProcessStat[] = []
  const alive = () => killed.filter(isRunning)
  const areGone = await within(killMs, () => {
    const found = strayProcesses(record, accountOfRun(run))
    signalEach(found, 'SIGKILL')
    killed.push(...found)
    return found.length === 0 && alive().length === 0
  })
  if (!areGone) throw unending(alive().map(({ pid }) => pid))
}

/** Also one that is ending: it has no variables by which it would be found, but its port still. */
function isRunning({ pid, start }: ProcessStat): boolean {
  return statOf(pid)?.start === start
}

function unending(pids: readonly number[]): ManagerError {
  return new ManagerError('ERR_FAILED', `Processes ${pids.join(', ')} do not end, although killed.`, {
    help: 'They are waiting for a disk or a network drive. Fix it, then try again.',
  })
}

async function within(waitMs: number, isDone: () => boolean): Promise<boolean> {
  const begin = performance.now()
  for (let pause = 5; ; pause = Math.min(pause * 1.5, 100)) {
    if (isDone()) return true
    if (performance.now() - begin >= waitMs) return false
    await sleep(pause)
  }
}
