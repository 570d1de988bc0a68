import { type Look } from './look.js'
import { statOf } from './process-table.js'

/** Signals one process. @returns false when it has ended meanwhile. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
    throw error
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
