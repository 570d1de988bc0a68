import { readFileSync } from 'node:fs'
import { identify, type ProcessIdentity } from '../system/process-identity.js'
import { listPids, statOf } from '../system/process-table.js'

/**
 * Children of the process in a pid file. The file may be of one that was killed, and its pid be somebody else's now: its
 * name is looked at.
 *
 * @returns undefined: it does not run
 */
export function workersOf(pidFile: string, names: readonly string[]): readonly ProcessIdentity[] | undefined {
  const pid = Number(readText(pidFile)?.trim())
  if (!(pid > 0) || !identify(pid) || !names.includes(readText(`/proc/${pid}/comm`)?.trim() ?? '')) return undefined
  return listPids()
    .filter((one) => statOf(one)?.parent === pid)
    .map(identify)
    .filter((one) => one !== undefined)
}

/** Empty when it has ended. */
export function commandLineOf(pid: number): string {
  return readText(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ') ?? ''
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
