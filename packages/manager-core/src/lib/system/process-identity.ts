import { readFileSync } from 'node:fs'
import { parseStat } from './process-table.js'

/**
 * Distinguishes a process from a later one with the same pid: pids are reused, after a boot all of them.
 * On systems without `/proc` start and boot are empty, and a process can never be identified with certainty.
 */
export interface ProcessIdentity {
  readonly pid: number
  /** Start time in clock ticks since the boot: 22nd field of `/proc/<pid>/stat`. */
  readonly start: string
  /** `/proc/sys/kernel/random/boot_id` */
  readonly boot: string
}

/** @returns undefined when there is no such process. */
export function identify(pid: number): ProcessIdentity | undefined {
  const text = readText(`/proc/${pid}/stat`)
  if (text === undefined) return isThere(pid) ? { pid, start: '', boot: '' } : undefined
  const stat = parseStat(pid, text)
  return stat && { pid, start: stat.start, boot: bootId() }
}

/** `unknown`: a process with this pid is there, and it is unknown whether it is the same one. */
export type ProcessState = 'alive' | 'dead' | 'unknown'

export function stateOf(identity: ProcessIdentity): ProcessState {
  const now = identify(identity.pid)
  if (!now) return 'dead'
  if (now.start === '' || identity.start === '') return 'unknown'
  return now.start === identity.start && now.boot === identity.boot ? 'alive' : 'dead'
}

let boot: string | undefined

/** Identifies this boot; empty where there is no `/proc`. */
export function bootId(): string {
  return (boot ??= readText('/proc/sys/kernel/random/boot_id')?.trim() ?? '')
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
