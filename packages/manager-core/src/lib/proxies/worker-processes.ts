import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { identify, type ProcessIdentity } from '../system/process-identity.js'
import { listPids, statOf } from '../system/process-table.js'

/**
 * Children of the process in a pid file. The file may be of one that was killed, and its pid be another process's now: its
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

/**
 * Whether a worker was forked before its parent started with its present configuration. httpd makes a pipe for each, by
 * by which it makes its workers end: a process that holds both ends of it.
 *
 * @returns undefined: only root and the user of both can see it
 */
export function hasFormerPipes(pid: number): boolean | undefined {
  const parent = statOf(pid)?.parent
  const [own, its] = [pipesOf(pid), parent === undefined ? undefined : pipesOf(parent)]
  if (!own || !its) return undefined
  const present = its.filter((pipe, at) => its.indexOf(pipe) !== at)
  return present.length > 0 ? !present.some((pipe) => own.includes(pipe)) : undefined
}

/** One for each end that is open. */
function pipesOf(pid: number): readonly string[] | undefined {
  try {
    const folder = `/proc/${pid}/fd`
    return readdirSync(folder)
      .map((name) => linkOf(`${folder}/${name}`))
      .filter((target) => target.startsWith('pipe:'))
  } catch {
    return undefined
  }
}

/** Empty when it was closed meanwhile. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
