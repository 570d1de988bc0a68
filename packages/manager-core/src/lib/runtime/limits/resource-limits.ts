import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { asAccount, type SystemAccount } from '../../accounts/account.js'
import { runForeignProgram } from '../../accounts/foreign-program.js'
import type { Limits } from '../../domain/limits.js'
import { uidOf } from '../../system/process-table.js'
import { isNode } from './heap.js'

const execute = promisify(execFile)

/** Threads of Node with a heap of their own that an application may have beside its first one. */
const spareThreads = 8

interface LimitedProcess {
  readonly pid: number
  /** What it will run. */
  readonly program: string
  /** Whose it is, or becomes now. Default: the user of this process. */
  readonly account: SystemAccount | undefined
}

/** How long a process may take to become another account's, in ms. */
const becomeMs = 5000

/**
 * Sets limits of a process by `prlimit`, which its children inherit. What it may have already is not raised.
 *
 * @returns those that hold now
 */
export async function setResourceLimits(
  { pid, program, account }: LimitedProcess,
  { memory = 0, processes = 0, files = 0 }: Limits,
): Promise<Limits> {
  const most = hardLimits(pid)
  const wanted = {
    ...(memory > 0 && { memory }),
    ...(processes > 0 && { processes: Math.min(processes, most('processes')) }),
    ...(files > 0 && { files: Math.min(files, most('open files')) }),
  }
  const bytes = Math.min(await dataLimit(program, memory), most('data size'))
  const options = [
    ...(wanted.memory === undefined ? [] : [`--data=${bytes}:${bytes}`]),
    ...(wanted.processes === undefined ? [] : [`--nproc=${wanted.processes}:${wanted.processes}`]),
    ...(wanted.files === undefined ? [] : [`--nofile=${wanted.files}:${wanted.files}`]),
  ]
  if (options.length === 0) return {}
  // Root that is confined itself may limit no processes of others, but these may.
  if (account) await becomes(pid, account)
  const [command, before] = asAccount(account, 'prlimit')
  const { code } = await runForeignProgram({
    program: command,
    args: [...before, '--pid', String(pid), ...options],
    environment: { PATH: process.env['PATH'] },
    limitMs: 10_000,
    longest: 1_000,
  })
  // Else it is not installed, or forbidden: nothing is held.
  return code === 0 ? wanted : {}
}

/** How many bytes of data a process may have whose program may use that many MB; 0: no limit. */
export async function dataLimit(program: string, memory: number): Promise<number> {
  return memory > 0 ? (memory + (await reservedBy(program))) * 2 ** 20 : 0
}

async function becomes(pid: number, { uid }: SystemAccount): Promise<void> {
  const begin = performance.now()
  while (uidOf(pid) !== uid && performance.now() - begin < becomeMs) await sleep(1)
}

/** Hard limits of a process by their names in `/proc`. */
function hardLimits(pid: number): (name: string) => number {
  const text = readFileSync(`/proc/${pid}/limits`, 'utf8')
  return (name) => {
    const found = new RegExp(`^Max ${name}\\s+\\S+\\s+(\\S+)`, 'm').exec(text)?.[1]
    return found === undefined || found === 'unlimited' ? Number.MAX_SAFE_INTEGER : Number(found)
  }
}

/**
 * Megabytes that a program counts as data without using them: Node reserves half a gigabyte for the code of each thread
 * that has a heap, so that a limit without this would not let it start.
 */
async function reservedBy(program: string): Promise<number> {
  if (!isNode(program)) return 0
  const { stdout } = await execute(program, ['-p', `require('fs').readFileSync('/proc/self/status', 'utf8')`])
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(stdout)?.[1] ?? 0)
  return Math.ceil(((kilobytes('VmData') - kilobytes('RssAnon')) / 1024) * (1 + spareThreads))
}
