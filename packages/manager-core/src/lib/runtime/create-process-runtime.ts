import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ManagerError } from '../../errors.js'
import { instanceHomeAt } from '../home.js'
import { createLocks } from '../operation/locks.js'
import { launch, layOut, scriptName, type RestartPolicy } from './launch.js'
import { followLog } from './log-reader.js'
import { createProcessTable, isAlive, lookAt } from './look.js'
import { describeProcess, processesOfSession, startedAt } from './process-table.js'
import { readDebugger, readExit, removeRunFiles, runFiles } from './run-files.js'
import type { ExitInfo, InstanceRef, Runtime } from './runtime.js'
import { signal, signalAll } from './signals.js'

export interface ProcessRuntimeOptions {
  /** Default: pauses of 1, 2, 4 … 60 s; given up after 5 crashes within 60 s of a start each. */
  readonly restart?: RestartPolicy
  /** How long a debugger stays open. Default 30. */
  readonly debugMinutes?: number
}

/** How long the processes of an instance may take to be gone after SIGKILL, in ms. */
const killMs = 10_000

/**
 * Runs instances as detached processes that survive the manager: a session of its own for each, with a small shell that
 * starts the application again when it crashes. Linux only: without `/proc` nobody knows whose a pid is.
 */
export function createProcessRuntime({
  restart = { pauses: [1, 2, 4, 8, 16, 32, 60], steadySeconds: 60, limit: 5 },
  debugMinutes = 30,
}: ProcessRuntimeOptions = {}): Runtime {
  const runOf = ({ folder }: InstanceRef) => instanceHomeAt(folder).run

  /** Two processes that start or stop the same instance do so one after the other. */
  function exclusively<T>(ref: InstanceRef, what: string, work: () => Promise<T>): Promise<T> {
    const purpose = `${what} of instance ${ref.id}, process ${process.pid}`
    return createLocks(runOf(ref)).with(['runtime'], { purpose, waitMs: 60_000 }, work)
  }

  return {
    name: 'process',
    capabilities: Object.freeze({
      parallelCopies: false,
      suspend: true,
      limits: true,
      bootStart: false,
      nativeRollback: false,
      processes: true,
      debug: true,
    }),
    async probe() {
      const ok = process.platform === 'linux'
      return { ok, message: ok ? 'Instances run as processes.' : 'Instances run as processes on Linux only.' }
    },
    async define({ folder }) {
      layOut(folder)
    },
    async undefine(ref) {
      if (isAlive(lookAt(runOf(ref))))
        throw new ManagerError('ERR_STATE', `Instance ${ref.id} runs; it must be stopped first.`)
      removeRunFiles(runOf(ref), runFiles)
      rmSync(join(runOf(ref), scriptName), { force: true })
    },
    async start(spec, { debug = false } = {}) {
      if (process.platform !== 'linux')
        throw new ManagerError('ERR_STATE', `Instances run as processes on Linux only, not on ${process.platform}.`)
      layOut(spec.folder)
      await exclusively(spec, 'start', async () => {
        if (isAlive(lookAt(runOf(spec)))) return
        await launch(spec, restart, debug ? debugMinutes : undefined)
      })
    },
    async stop(ref, { graceMs, force = false }) {
      const run = runOf(ref)
      if (!isAlive(lookAt(run))) {
        removeRunFiles(run, runFiles)
        return { wasRunning: false }
      }
      // Who forces does not wait for another's patience.
      return force ? end(run, 0) : exclusively(ref, 'stop', () => end(run, graceMs))
    },
    async suspend(ref) {
      const look = lookAt(runOf(ref))
      if (isAlive(look)) signalAll(look, 'SIGSTOP')
    },
    async resume(ref) {
      const look = lookAt(runOf(ref))
      if (isAlive(look)) signalAll(look, 'SIGCONT')
    },
    async observe(ref) {
      const run = runOf(ref)
      const { state, supervisor, application, strays } = lookAt(run)
      const lastExit = readExit(run)
      const since = application ? startedAt(application.stat.start) : lastExit?.at
      const debugAddress = application && readDebugger(run)
      const pids = [supervisor?.identity.pid, application?.identity.pid, ...strays.map(({ pid }) => pid)]
      return {
        state,
        restarts: application?.restarts ?? 0,
        pids: pids.filter((pid) => pid !== undefined),
        ...(since !== undefined && { since }),
        ...(lastExit && { lastExit }),
        ...(debugAddress !== undefined && { debugAddress }),
      }
    },
    async observeAll(refs) {
      const table = createProcessTable(true)
      return new Map(refs.map((ref) => [ref.id, lookAt(runOf(ref), table).state]))
    },
    async processes(ref) {
      const look = lookAt(runOf(ref))
      const session = look.supervisor?.identity.pid ?? look.application?.stat.session
      const found = session === undefined ? look.strays : processesOfSession(session)
      return found.map(describeProcess).toSorted((a, b) => a.pid - b.pid)
    },
    logs: (ref, options) => followLog(join(instanceHomeAt(ref.folder).logs, 'application.log'), options),
  }
}

/** Gracefully for a while, then by force; resolves when nothing is left. */
async function end(run: string, graceMs: number): Promise<ExitInfo> {
  const begin = performance.now()
  const first = lookAt(run)
  if (graceMs > 0) {
    if (first.supervisor) signal(first.supervisor.identity.pid, 'SIGTERM')
    else if (first.application) signal(first.application.identity.pid, 'SIGTERM')
    // A suspended process gets it when it goes on.
    signalAll(first, 'SIGCONT')
  }
  const ended = await gone(run, graceMs - (performance.now() - begin))
  if (!ended) {
    signalAll(lookAt(run), 'SIGKILL')
    if (!(await gone(run, killMs)))
      throw new ManagerError('ERR_FAILED', `Processes ${pidsOf(run)} do not end, although they were killed.`, {
        help: 'They wait for a disk or a network drive; see to it, then try again.',
      })
  }
  const { code, signal: by } = readExit(run) ?? {}
  removeRunFiles(run, runFiles)
  return { wasRunning: true, ...(ended ? { code, signal: by } : { signal: 'SIGKILL', forced: true }) }
}

async function gone(run: string, waitMs: number): Promise<boolean> {
  const begin = performance.now()
  for (let pause = 5; ; pause = Math.min(pause * 1.5, 100)) {
    if (!isAlive(lookAt(run))) return true
    if (performance.now() - begin >= waitMs) return false
    await sleep(pause)
  }
}

function pidsOf(run: string): string {
  const { supervisor, application, strays } = lookAt(run)
  const pids = [supervisor?.identity.pid, application?.identity.pid, ...strays.map(({ pid }) => pid)]
  return pids.filter((pid) => pid !== undefined).join(', ')
}
