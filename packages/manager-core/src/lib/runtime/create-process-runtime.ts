import { existsSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { ManagerError } from '../../errors.js'
import { accountAt } from '../accounts/account.js'
import { endAllOf } from '../accounts/end-all-of.js'
import { removeTree } from '../accounts/remove-tree.js'
import { instanceHomeAt } from '../domain/home.js'
import { describeProcess, processesOfSession, startedAt, statOf, type ProcessStat } from '../system/process-table.js'
import { runFolderOf, runFoldersOf, servingCopy, setServingCopy } from './copies.js'
import { end } from './end.js'
import { exclusively } from './exclusively.js'
import { removeSockets, socketOf } from './instance-socket.js'
import { launch, layOut, type RestartPolicy, usualPolicy } from './launch.js'
import { cgroupBase } from './limits/cgroups.js'
import { confinedPids, howLimited, limitsOf, release } from './limits/confine.js'
import { whyEnded } from './limits/why-ended.js'
import { followLog } from './log-reader.js'
import { applicationLog, createProcessTable, isAlive, isOf, lookAt, pidsOf } from './look.js'
import { readDebugger, readExit } from './run-files.js'
import type { Runtime } from './runtime.js'
import { resume, suspend } from './suspension.js'
import { translated } from './translated.js'
import { usageOf } from './usage.js'

export interface ProcessRuntimeOptions {
  /** Default: pauses of 1, 2, 4 … 60 s; given up after 5 crashes within 60 s of a start each. */
  readonly restart?: RestartPolicy
  /** How long a debugger stays open. Default 30. */
  readonly debugMinutes?: number
  /** Whether limits hold by cgroups where they can be used. Default: yes. */
  readonly cgroups?: () => boolean
}

/**
 * Runs instances as detached processes that survive the manager: a session of its own for each, with a small shell that
 * starts the application again when it crashes. Linux only: without `/proc` the owner of a pid is unknown.
 */
export function createProcessRuntime({
  restart = usualPolicy,
  debugMinutes = 30,
  cgroups = () => true,
}: ProcessRuntimeOptions = {}): Runtime {
  const base = () => (cgroups() ? cgroupBase() : { problem: 'APPS_CGROUPS is no' })

  return {
    name: 'process',
    capabilities: Object.freeze({
      parallelCopies: true,
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
    howLimited: () => howLimited(base()),
    define: (spec) => translated(spec, 'prepare', async () => layOut(spec)),
    async undefine(ref) {
      const folders = runFoldersOf(ref)
      if (folders.some((run) => isAlive(lookAt(run))))
        throw new ManagerError('ERR_STATE', `Instance ${ref.id} is running. Stop it first.`)
      if (ref.copy === undefined) await endAllOf(accountAt(ref.folder))
      for (const run of folders) {
        resume(run)
        await release(run)
        await removeTree(run, accountAt(ref.folder))
      }
      removeSockets(ref)
    },
    async start(spec, { debug = false, signal } = {}) {
      signal?.throwIfAborted()
      if (process.platform !== 'linux')
        throw new ManagerError('ERR_STATE', `Instances run as processes on Linux only, not on ${process.platform}.`)
      await translated(spec, 'start', async () => {
        layOut(spec)
        const startNow = async () => {
          if (isAlive(lookAt(runFolderOf(spec)))) return
          signal?.throwIfAborted()
          await launch(spec, { policy: restart, debugMinutes: debug ? debugMinutes : undefined, base: base() })
          if (!signal?.aborted) return
          await end(runFolderOf(spec), 0)
          signal.throwIfAborted()
        }
        await exclusively(spec, 'start', startNow, signal)
      })
    },
    async stop(ref, { graceMs, force = false }) {
      const endAll = async (grace: number) => {
        // After those who had the lock before, another copy may serve.
        const exits = await Promise.all(runFoldersOf(ref).map((run) => end(run, grace)))
        if (force && ref.copy === undefined) await endAllOf(accountAt(ref.folder))
        return exits.find(({ wasRunning }) => wasRunning) ?? { wasRunning: false }
      }
      // Where its folder is lost there is nothing to lock, but there may be processes.
      if (!existsSync(instanceHomeAt(ref.folder).run)) return translated(ref, 'stop', () => endAll(force ? 0 : graceMs))
      // Who forces does not wait for another's patience.
      return translated(ref, 'stop', () => (force ? endAll(0) : exclusively(ref, 'stop', () => endAll(graceMs))))
    },
    suspend: (ref, { maxMs }) => translated(ref, 'suspend', () => suspend(runFolderOf(ref), maxMs)),
    resume: (ref) => translated(ref, 'resume', async () => resume(runFolderOf(ref))),
    socketOf,
    serving: async ({ folder }) => servingCopy(folder),
    serve: (ref, copy) => translated(ref, 'switch', async () => setServingCopy(ref.folder, copy)),
    async observe(ref) {
      const run = runFolderOf(ref)
      const look = lookAt(run)
      const { state, application } = look
      const lastExit = readExit(run)
      const since = application ? startedAt(application.stat.start) : lastExit?.exit.at
      // What a loss of power left says nothing about now.
      const limits = state === 'stopped' ? [] : limitsOf(run)
      const reason = lastExit && whyEnded(lastExit, limits, applicationLog(ref.folder))
      const debugAddress = application && readDebugger(run)
      return {
        state,
        restarts: application?.restarts ?? lastExit?.restarts ?? 0,
        pids: pidsOf(look),
        ...(since !== undefined && { since }),
        ...(lastExit && { lastExit: { ...lastExit.exit, ...(reason !== undefined && { reason }) } }),
        ...(limits.length > 0 && { limits }),
        ...(debugAddress !== undefined && { debugAddress }),
      }
    },
    async observeAll(refs) {
      const table = createProcessTable(true)
      return new Map(refs.map((ref) => [ref.id, lookAt(runFolderOf(ref), table).state]))
    },
    async processes(ref) {
      const run = runFolderOf(ref)
      const look = lookAt(run)
      const session = look.supervisor?.identity.pid ?? look.application?.stat.session
      const account = accountAt(ref.folder)
      const all = session === undefined ? look.strays : processesOfSession(session)
      const found = all.filter(({ pid }) => isOf(account, pid))
      return [...found, ...unseenIn(run, found)].map(describeProcess).toSorted((a, b) => a.pid - b.pid)
    },
    async processesBelow(instances) {
      const table = createProcessTable(true)
      const found = [...table.byLog()].flatMap(([log, stats]) => {
        const id = relative(instances, log).split(sep)[0] ?? ''
        const isOurs = log === applicationLog(join(instances, id))
        return isOurs ? [[id, stats.map(describeProcess)] as const] : []
      })
      return new Map(found)
    },
    usageAll: (refs) => usageOf(new Map(refs.map((ref) => [ref.id, runFolderOf(ref)]))),
    logs: (ref, options) => followLog(applicationLog(ref.folder), options, accountAt(ref.folder)?.uid),
  }
}

/** The processes in its cgroup that are not among the ones that were found. */
function unseenIn(run: string, found: readonly ProcessStat[]): readonly ProcessStat[] {
  const known = new Set(found.map(({ pid }) => pid))
  return confinedPids(run)
    .filter((pid) => !known.has(pid))
    .map(statOf)
    .filter((stat) => stat !== undefined)
}
