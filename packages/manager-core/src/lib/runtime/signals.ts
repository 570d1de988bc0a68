import { ManagerError } from '../../errors.js'
import { statOf, type ProcessStat } from '../system/process-table.js'
import type { Look } from './look.js'

/** Signals one process. @returns false when it has ended meanwhile. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ESRCH') return false
    if (code !== 'EPERM') throw error
    throw new ManagerError(
      'ERR_FAILED',
      `Process ${Math.abs(pid)} cannot be signalled, because it belongs to another user.`,
      {
        cause: error,
        help: 'Run the manager as the user who started the instance.',
      },
    )
  }
}

/**
 * Signals all processes of an instance. A group's number is not given to another process while it has a member, so one
 * verified member makes the group's number good.
 */
export function signalAll({ supervisor, application, strays }: Look, name: NodeJS.Signals): void {
  if (supervisor) signal(-supervisor.identity.pid, name)
  else if (application && application.stat.group === application.supervisor) signal(-application.supervisor, name)
  else if (application) signal(application.identity.pid, name)
  signalEach(strays, name)
}

/** The process that watches the others passes it on. */
export function askToEnd({ supervisor, application, strays }: Look): void {
  if (supervisor) signal(supervisor.identity.pid, 'SIGTERM')
  else if (application) signal(application.identity.pid, 'SIGTERM')
  else signalEach(strays, 'SIGTERM')
}

/** Those that are still the same. */
export function signalEach(processes: readonly ProcessStat[], name: NodeJS.Signals): void {
  for (const { pid, start } of processes) if (statOf(pid)?.start === start) signal(pid, name)
}
