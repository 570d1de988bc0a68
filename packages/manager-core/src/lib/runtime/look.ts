import { basename, dirname, join } from 'node:path'
import type { SystemAccount } from '../accounts/account.js'
import { instanceHomeAt } from '../domain/home.js'
import type { Observed } from '../domain/instance.js'
import { bootId } from '../system/process-identity.js'
import { hasVariable, listPids, statOf, uidOf, variableOf, type ProcessStat } from '../system/process-table.js'
import { accountOfRun, hasRunFile, readApplication, readSupervisor } from './run-files.js'
import type { ApplicationRecord, SupervisorRecord } from './run-files.js'

/** Name of the variable that all processes of one start have in their environment. */
export const runVariable = 'STEWARD_RUN'

/** Name of the variable by which they know their log, and others whose they are when all files are lost. */
export const logVariable = 'STEWARD_LOG'

/** One look at the processes of this machine; what is costly is done when it is first asked for, once. */
export interface ProcessTable {
  has(pid: number): boolean
  session(leader: number): readonly ProcessStat[]
  /** All processes by the log that they write to, see `logVariable`. */
  byLog(): ReadonlyMap<string, readonly ProcessStat[]>
}

/**
 * What of an instance is alive, each verified by its identity. Of an instance with an account, a process is its own only
 * when it runs as that: what it writes into `run/` must not have others signalled.
 */
export interface Look {
  readonly state: Observed
  readonly supervisor: SupervisorRecord | undefined
  readonly application: (ApplicationRecord & { readonly stat: ProcessStat }) | undefined
  /** Processes left of a supervisor that was killed, and of an application that is not known. */
  readonly strays: readonly ProcessStat[]
}

/** @param snapshot all pids at once, when many instances are looked at */
export function createProcessTable(snapshot: boolean): ProcessTable {
  const pids = snapshot ? new Set(listPids()) : undefined
  let sessions: Map<number, ProcessStat[]> | undefined
  let logs: Map<string, ProcessStat[]> | undefined
  const all = () => (pids ? [...pids] : listPids()).map(statOf).filter((stat) => stat !== undefined)
  return {
    has: (pid) => pids?.has(pid) ?? true,
    session(leader) {
      sessions ??= Map.groupBy(all(), ({ session }) => session)
      return sessions.get(leader) ?? []
    },
    byLog() {
      logs ??= Map.groupBy(all(), ({ pid }) => variableOf(pid, logVariable) ?? '')
      return logs
    },
  }
}

/** @param run the instance's folder `run/` */
export function lookAt(run: string, table: ProcessTable = createProcessTable(false)): Look {
  const account = accountOfRun(run)
  const known = readApplication(run)
  const stat = known && verified(known.identity, table, account)
  const application = known && stat && { ...known, stat }
  const record = readSupervisor(run)
  const supervisorStat = record && verified(record.identity, table, account)
  const supervisor = supervisorStat && record
  if (application) {
    const isSuspended = application.stat.state === 'T'
    const hasSupervisor = application.stat.parent === application.supervisor
    return {
      state: isSuspended ? 'suspended' : hasSupervisor ? 'started' : 'degraded',
      supervisor,
      application,
      strays: [],
    }
  }
  const nothing = { supervisor, application: undefined, strays: [] }
  if (supervisor) return { ...nothing, state: supervisorStat.state === 'T' ? 'suspended' : 'starting' }
  if (hasRunFile(run, 'crashed')) return { ...nothing, state: 'crashed' }
  if (isWithoutTrace(run)) {
    const strays = leftBehind(run, table).filter(({ pid }) => isOf(account, pid))
    return { ...nothing, strays, state: strays.length > 0 ? 'degraded' : 'stopped' }
  }
  // A supervisor that ends in order takes its record away before; one of an earlier boot was ended by that.
  const left = record && readSupervisor(run)
  if (!left || left.identity.boot !== bootId()) return { ...nothing, state: 'stopped' }
  const strays = strayProcesses(left, account, table)
  return { ...nothing, strays, state: strays.length > 0 ? 'degraded' : 'crashed' }
}

/** Nothing says that it ever ran, in either copy: it did not, or its files are lost. */
function isWithoutTrace(run: string): boolean {
  if (basename(run) !== 'run') return false
  const files = ['supervisor', 'application', 'exit'] as const
  return [run, join(run, 'b')].every((each) => files.every((file) => !hasRunFile(each, file)))
}

/** Processes that write to its log, and the whole session of a supervisor that does. */
function leftBehind(run: string, table: ProcessTable): readonly ProcessStat[] {
  const found = table.byLog().get(applicationLog(dirname(run))) ?? []
  const leaders = found.filter(({ pid, session }) => pid === session)
  const all = [...found, ...leaders.flatMap(({ pid }) => table.session(pid))]
  return [...new Map(all.map((stat) => [stat.pid, stat])).values()]
}

/** Log of the application of an instance. */
export function applicationLog(folder: string): string {
  return join(instanceHomeAt(folder).logs, 'application.log')
}

/** All processes of a start: of its supervisor's session, and with its token, because numbers of sessions are reused. */
export function strayProcesses(
  { identity, token }: SupervisorRecord,
  account: SystemAccount | undefined,
  table: ProcessTable = createProcessTable(false),
): readonly ProcessStat[] {
  return table.session(identity.pid).filter(({ pid }) => isOf(account, pid) && hasVariable(pid, runVariable, token))
}

/** Whether a process may be one of an instance with this account; without one, any may. */
export function isOf(account: SystemAccount | undefined, pid: number): boolean {
  return account === undefined || uidOf(pid) === account.uid
}

/** All that are known to be alive. */
export function pidsOf({ supervisor, application, strays }: Look): readonly number[] {
  const pids = [supervisor?.identity.pid, application?.identity.pid, ...strays.map(({ pid }) => pid)]
  return pids.filter((pid) => pid !== undefined)
}

export function isAlive({ supervisor, application, strays }: Look): boolean {
  return supervisor !== undefined || application !== undefined || strays.length > 0
}

function verified(
  { pid, start, boot }: { readonly pid: number; readonly start: string; readonly boot: string },
  table: ProcessTable,
  account: SystemAccount | undefined,
): ProcessStat | undefined {
  if (boot !== bootId() || !table.has(pid)) return undefined
  const stat = statOf(pid)
  return stat?.start === start && isOf(account, pid) ? stat : undefined
}
