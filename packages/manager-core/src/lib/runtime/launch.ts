import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  fchownSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { ManagerError } from '../../errors.js'
import { accountAt, type SystemAccount } from '../accounts/account.js'
import { plainEnvironment } from '../accounts/environment.js'
import { checkAccount } from '../accounts/system-accounts.js'
import { instanceHomeAt } from '../domain/home.js'
import { foreignFlags, readForeignFile } from '../accounts/foreign.js'
import { identify } from '../system/process-identity.js'
import { runFolderOf, runFoldersOf, servingCopy, servingMarker } from './copies.js'
import type { CgroupBase } from './limits/cgroups.js'
import { confine } from './limits/confine.js'
import { heapOf, isNode } from './limits/heap.js'
import { applicationLog, logVariable, lookAt, runVariable } from './look.js'
import { hasRunFile, putRunFile, removeRunFiles, writeSupervisor } from './run-files.js'
import { makeSocket, removeSockets } from './instance-socket.js'
import type { InstanceRef, InstanceSpec } from './runtime.js'
import { spawnAlone } from './spawn-alone.js'
import { supervisorScript } from './supervisor-script.js'

/** When a crashed application is started again. */
export interface RestartPolicy {
  /** In seconds: after the first, second … crash; the last one for all that follow. */
  readonly pauses: readonly number[]
  /** An application that ran this long (s) is not counted as crashing at its start. */
  readonly steadySeconds: number
  /** After that many crashes, each within `steadySeconds` of a start, it is not started again. */
  readonly limit: number
}

/** Given up after 5 crashes within a minute of a start each. */
export const usualPolicy: RestartPolicy = { pauses: [1, 2, 4, 8, 16, 32, 60], steadySeconds: 60, limit: 5 }

export interface LaunchOptions {
  readonly policy: RestartPolicy
  /** How long the debugger is open; undefined: it is not. */
  readonly debugMinutes: number | undefined
  /** Where cgroups are made. */
  readonly base: CgroupBase
}

// Without a build, as tests run this, the one that was built last: Node needs more CPU to begin with TypeScript than a
// small application needs to start.
export const guest = new URL(
  import.meta.url.endsWith('.ts') ? '../../../dist/guest.worker.js' : './guest.worker.js',
  import.meta.url,
)

/** How long a start waits for the application's process, in ms. */
export const underWayMs = 5000

const supervisor = { name: 'supervisor.sh', text: supervisorScript }

/**
 * Lays out what a start needs. May be repeated, also while it runs.
 *
 * @param script what looks after its program
 */
export function layOut(ref: InstanceRef, script: { readonly name: string; readonly text: string } = supervisor): void {
  const run = runFolderOf(ref)
  const account = accountAt(ref.folder)
  const { logs } = instanceHomeAt(ref.folder)
  for (const each of [run, logs]) mkdirSync(each, { recursive: true, mode: 0o700 })
  if (account) {
    for (const each of runFoldersOf(ref)) {
      mkdirSync(each, { recursive: true, mode: 0o700 })
      shareFolder(each, account)
    }
    if (lstatSync(logs).uid !== account.uid) chownSync(logs, account.uid, account.gid)
  }
  if (readForeignFile(join(run, script.name)) !== script.text) putRunFile(run, script.name, script.text)
}

/** @throws ManagerError ERR_FAILED when what it runs is not there, ERR_STATE when its account is not */
export function checkProgram(spec: InstanceSpec): void {
  if (!existsSync(spec.workingFolder)) throw notStarted(spec, `there is no folder ${spec.workingFolder}.`)
  if (!existsSync(spec.command[0] ?? '')) throw notStarted(spec, 'the program does not exist.')
  const account = accountAt(spec.folder)
  if (account) checkAccount(account)
}

function notStarted({ command }: InstanceSpec, reason: string, cause?: unknown): ManagerError {
  return new ManagerError('ERR_FAILED', `Cannot start ${command[0] ?? 'the application'}: ${reason}`, { cause })
}

/**
 * Starts the supervisor, which starts the application; resolves when the application has a process, or had one.
 *
 * @throws ManagerError ERR_FAILED, or what the file system says
 */
export async function launch(spec: InstanceSpec, { policy, debugMinutes, base }: LaunchOptions): Promise<void> {
  const run = runFolderOf(spec)
  const { logs } = instanceHomeAt(spec.folder)
  checkProgram(spec)
  removeRunFiles(run, ['application', 'exit', 'crashed', 'debugger'])
  const token = randomUUID()
  const account = accountAt(spec.folder)
  const log = openLog(join(logs, 'application.log'), account)
  const socket = spec.takesSockets ? await makeSocket(spec) : undefined
  try {
    const started = await spawnAlone(
      [
        join(run, supervisor.name),
        run,
        policy.pauses.join(' '),
        String(policy.steadySeconds),
        String(policy.limit),
        ...commandOf(spec, { account, base }),
      ],
      {
        cwd: spec.workingFolder,
        env: { ...environmentOf(spec, token, debugMinutes), ...(socket && { LISTEN_FDS: '1' }) },
        stdio: ['pipe', log, log, ...(socket ? [socket.fd] : [])],
        account,
      },
    ).catch((error: unknown) => {
      throw notStarted(spec, (error as Error).message, error)
    })
    const stdin = started.stdin as Writable
    // It may be gone already if it was killed.
    stdin.on('error', () => undefined)
    try {
      const identity = identify(started.pid as number)
      if (!identity) throw notStarted(spec, 'its supervisor ended immediately.')
      const memory = await confine(run, spec, { pid: identity.pid, base, account })
      writeSupervisor(run, { identity, token })
      if (socket) socket.publish()
      else removeSockets({ ...spec, copy: spec.copy ?? servingCopy(spec.folder) })
      stdin.end(memory ? `go ${memory.events} ${memory.limit}\n` : 'go\n')
    } catch (error) {
      // Without the word it ends.
      stdin.destroy()
      throw error
    }
    await underWay(run)
  } finally {
    closeSync(log)
    socket?.close()
  }
}

/** A full disk keeps its supervisor from writing down what it started. */
async function underWay(run: string): Promise<void> {
  const begin = performance.now()
  while (performance.now() - begin < underWayMs) {
    if (hasRunFile(run, 'exit') || lookAt(run).state !== 'starting') return
    await sleep(5)
  }
}

/**
 * A folder in which manager and instance put files, and neither can remove or replace those of the other one, nor folders
 * and links that lead elsewhere be put in the place of the manager's.
 */
function shareFolder(folder: string, { gid }: SystemAccount): void {
  const stats = lstatSync(folder)
  if (!stats.isDirectory() || stats.uid !== process.getuid?.())
    throw new ManagerError('ERR_STATE', `${folder} is not the folder that the manager created.`, {
      help: 'Stop the instance, remove the folder, and start the instance again.',
    })
  chownSync(folder, stats.uid, gid)
  chmodSync(folder, 0o1770)
}

/**
 * An instance with an account can put in its place whatever it likes, which stays there when it has none any more: only a
 * file is written to, which is its own.
 */
function openLog(file: string, account: SystemAccount | undefined): number {
  const { O_WRONLY, O_APPEND, O_CREAT, O_EXCL } = constants
  const flags = O_WRONLY | O_APPEND | foreignFlags
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (!stats) {
    const made = openSync(file, flags | O_CREAT | O_EXCL, 0o600)
    if (account) fchownSync(made, account.uid, account.gid)
    return made
  }
  if (stats.isSymbolicLink()) throw notItsLog(file)
  const log = openSync(file, flags)
  const opened = fstatSync(log)
  if (opened.isFile() && (!account || opened.uid === account.uid)) return log
  closeSync(log)
  throw notItsLog(file)
}

function notItsLog(file: string): ManagerError {
  return new ManagerError('ERR_STATE', `${file} is not a log of the instance.`, {
    help: 'Remove it, then start the instance again.',
  })
}

/** Node gets its limit, and loads the module that rotates the log and opens the debugger. */
export function commandOf(
  spec: InstanceSpec,
  { account, base }: { readonly account: SystemAccount | undefined; readonly base: CgroupBase },
): readonly string[] {
  const [program = '', ...args] = spec.command
  if (!isNode(program)) return spec.command
  const heap = heapOf(spec, base)
  const limit = heap === undefined ? [] : [`--max-old-space-size=${heap}`]
  // Knowing the port of a debugger must not be enough to use it.
  const debug = account ? ['--inspect-publish-uid=stderr'] : []
  return [program, ...limit, ...debug, '--import', guest.href, ...args]
}

/** @param token of all processes of this start */
export function environmentOf(
  spec: InstanceSpec,
  token: string,
  debugMinutes: number | undefined,
): Record<string, string> {
  return {
    ...plainEnvironment(instanceHomeAt(spec.folder).data, accountAt(spec.folder)),
    ...spec.environment,
    [runVariable]: token,
    ...supervisedVariables(spec, debugMinutes),
  }
}

/** What the supervisor and the module that Node takes in look for. */
export function supervisedVariables(spec: InstanceSpec, debugMinutes: number | undefined): Record<string, string> {
  return {
    ...(spec.needs !== undefined && { STEWARD_NEEDS: spec.needs }),
    [logVariable]: applicationLog(spec.folder),
    STEWARD_LOG_MAX_BYTES: String(spec.log.maxBytes),
    STEWARD_LOG_KEEP: String(spec.log.keep),
    STEWARD_LOG_COPY: spec.copy ?? servingCopy(spec.folder),
    STEWARD_LOG_MARKER: servingMarker(spec.folder),
    ...(debugMinutes !== undefined && {
      STEWARD_DEBUG_MINUTES: String(debugMinutes),
      STEWARD_DEBUG_FILE: join(runFolderOf(spec), 'debugger'),
    }),
  }
}
