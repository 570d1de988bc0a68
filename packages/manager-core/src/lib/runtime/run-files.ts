import { closeSync, constants as flags, fchownSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { constants } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { accountAt, type SystemAccount } from '../accounts/account.js'
import { foreignKind, foreignStats, readForeignFile } from '../accounts/foreign.js'
import type { ProcessIdentity } from '../system/process-identity.js'

/** Who looks after the application. `token`: value of `STEWARD_RUN` in the environment of all processes of this start. */
export interface SupervisorRecord {
  readonly identity: ProcessIdentity
  readonly token: string
}

/** The application itself, as its supervisor wrote it down. */
export interface ApplicationRecord {
  readonly identity: ProcessIdentity
  readonly supervisor: number
  /** How often it was started again since it was started. */
  readonly restarts: number
}

/** How the application ended last, and how often it had been started again then; `at` is ISO 8601. */
export interface ExitRecord {
  readonly exit: { readonly code?: number; readonly signal?: string; readonly at: string }
  readonly restarts: number
  /** The kernel ended it: it had used all of its memory limit of that many MB. */
  readonly outOfMemory?: number
}

/**
 * Files in `run/`: one line of words each. Each is whole or not there; what cannot be read is taken as not there. The
 * processes of the instance write there, too, so nothing is believed: see `lookAt`.
 */
export const runFiles = [
  'supervisor',
  'application',
  'exit',
  'crashed',
  'debugger',
  'suspended',
  'limits',
  'begun',
] as const
export type RunFile = (typeof runFiles)[number]

export function readSupervisor(run: string): SupervisorRecord | undefined {
  const [pid, start, boot, token] = readWords(run, 'supervisor')
  if (!start || !boot || !token || !isPid(pid)) return undefined
  return { identity: { pid: Number(pid), start, boot }, token }
}

/** Durable before it resolves: a kill right after it finds the record. */
export function writeSupervisor(run: string, { identity, token }: SupervisorRecord): void {
  putRunFile(run, 'supervisor', `${identity.pid} ${identity.start} ${identity.boot} ${token}\n`)
}

export function readApplication(run: string): ApplicationRecord | undefined {
  const [pid, start, boot, supervisor, restarts] = readWords(run, 'application')
  if (!start || !boot || !isPid(pid)) return undefined
  return { identity: { pid: Number(pid), start, boot }, supervisor: Number(supervisor), restarts: Number(restarts) }
}

export function readExit(run: string): ExitRecord | undefined {
  const [text, restarts, limit] = readWords(run, 'exit')
  if (!text || !/^\d+$/.test(text)) return undefined
  const at = foreignStats(join(run, 'exit'))?.mtime ?? new Date(0)
  return {
    exit: { ...exitOf(Number(text)), at: at.toISOString() },
    restarts: Number(restarts),
    ...(limit !== undefined && { outOfMemory: Number(limit) }),
  }
}

/** For an application that was not waited for. */
export function writeExit(run: string, signal: 'SIGKILL'): void {
  putRunFile(run, 'exit', `${128 + constants.signals[signal]} 0\n`)
}

/** Who will resume it when nothing else does. */
export function readSuspension(run: string): ProcessIdentity | undefined {
  const [pid, start, boot] = readWords(run, 'suspended')
  return start && boot && isPid(pid) ? { pid: Number(pid), start, boot } : undefined
}

export function writeSuspension(run: string, { pid, start, boot }: ProcessIdentity): void {
  putRunFile(run, 'suspended', `${pid} ${start} ${boot}\n`)
}

/** Address of the debugger, `127.0.0.1:9229`. */
export function readDebugger(run: string): string | undefined {
  return readWords(run, 'debugger')[0]
}

export function hasRunFile(run: string, file: RunFile): boolean {
  return foreignKind(join(run, file)) !== undefined
}

export function removeRunFiles(run: string, files: readonly RunFile[]): void {
  for (const file of files) rmSync(join(run, file), { force: true })
}

export function putRunFile(run: string, file: string, text: string): void {
  const path = join(run, file)
  const beside = `${path}.${process.pid}.new`
  const account = accountOfRun(run)
  rmSync(beside, { force: true })
  const handle = openSync(beside, flags.O_WRONLY | flags.O_CREAT | flags.O_EXCL | flags.O_NOFOLLOW, 0o600)
  try {
    writeSync(handle, text)
    if (account) fchownSync(handle, account.uid, account.gid)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(beside, path)
}

/** Whose processes have this folder. */
export function accountOfRun(run: string): SystemAccount | undefined {
  return accountAt(basename(run) === 'b' ? dirname(dirname(run)) : dirname(run))
}

/** A shell says 128 + the number of the signal. */
export function exitOf(status: number): { readonly code?: number; readonly signal?: string } {
  const signal = Object.entries(constants.signals).find(([, number]) => number === status - 128)?.[0]
  return signal === undefined ? { code: status } : { signal }
}

export function readWords(run: string, file: RunFile): readonly string[] {
  const path = join(run, file)
  try {
    return readForeignFile(path)?.trim().split(' ') ?? []
  } catch {
    return []
  }
}

function isPid(text: string | undefined): boolean {
  return text !== undefined && /^[1-9]\d*$/.test(text) && Number(text) > 1
}
