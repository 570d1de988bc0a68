import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { asAccountWith, type SystemAccount } from '../accounts/account.js'
import { statOf, uidOf } from '../system/process-table.js'

/** From `fcntl.h`: closed when a program is run. */
const closeOnExec = 0o2000000

export interface SpawnAloneOptions extends Pick<SpawnOptions, 'cwd'> {
  /** All of it. */
  readonly env: Readonly<Record<string, string>>
  readonly stdio: readonly ('pipe' | 'ignore' | number)[]
  /** Whose process it is. Default: this user's. */
  readonly account: SystemAccount | undefined
}

/**
 * Starts a shell that outlives this one: in a session of its own, and without what this process inherited itself, such
 * as the lock of a cron job that would never be given back. Node's own files are not passed on anyway.
 *
 * @throws when it cannot be started
 */
export async function spawnAlone(
  args: readonly string[],
  { cwd, env, stdio, account }: SpawnAloneOptions,
): Promise<ChildProcess> {
  const nothing = openSync('/dev/null', 'r+')
  try {
    const all = [...stdio]
    for (const inherited of inheritable()) {
      while (all.length < inherited) all.push('ignore')
      if (inherited >= stdio.length) all[inherited] = nothing
    }
    const { program, before, environment } = asAccountWith(account, '/bin/sh', env)
    const child = spawn(program, [...before, ...args], { cwd, env: environment, detached: true, stdio: all })
    child.unref()
    await once(child, 'spawn')
    if (account) await becomes(child.pid as number, account)
    return child
  } finally {
    closeSync(nothing)
  }
}

/** Files beyond the standard ones that a child would get, in order. */
function inheritable(): readonly number[] {
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((file) => file > 2 && (flagsOf(file) & closeOnExec) === 0)
    .toSorted((a, b) => a - b)
}

function flagsOf(file: number): number {
  try {
    return Number.parseInt(/^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${file}`, 'utf8'))?.[1] ?? '', 8)
  } catch {
    // It was closed meanwhile.
    return closeOnExec
  }
}

/** Before it runs as the account, it is not taken for one of its processes. */
async function becomes(pid: number, { uid }: SystemAccount): Promise<void> {
  while (statOf(pid) && uidOf(pid) !== uid) await sleep(1)
}
