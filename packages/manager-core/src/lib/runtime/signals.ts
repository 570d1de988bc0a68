import { ManagerError } from '../../errors.js'
import type { Look } from './look.js'
import { statOf } from './process-table.js'

/** Signals one process. @returns false when it has ended meanwhile. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ESRCH') return false
    if (code !== 'EPERM') throw error
    throw new ManagerError('ERR_FAILED', `Process ${Math.abs(pid)} may not be signalled: it is another user's.`, {
      cause: error,
      help: 'Run the manager as the user who started the instance.',
    })
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
  for (const { pid, start } of strays) if (statOf(pid)?.start === start) signal(pid, name)
}
