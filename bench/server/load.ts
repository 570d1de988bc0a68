import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { loadCore, serverCore } from '../rest/machine.ts'

const run = promisify(execFile)

/** The caller: the password that a server on this machine has by default. */
export const authorization = `Basic ${Buffer.from('admin:admin').toString('base64')}`

/** A server in a process of its own, on a core of its own. */
export async function startOnCore(args: readonly string[], url: string): Promise<{ stop(): Promise<void> }> {
  const child = spawn('taskset', ['-c', String(serverCore), process.execPath, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const ended = once(child, 'exit')
  for (let isThere = false; !isThere; await sleep(50)) {
    if (child.exitCode !== null) throw new Error(`${args.join(' ')} ended with ${child.exitCode}.`)
    isThere = await fetch(url, { headers: { authorization } }).then(
      ({ ok }) => ok,
      () => false,
    )
  }
  return {
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Asks from another core with 16 connections. @returns requests per second. @throws Error when an answer was none */
export async function load(url: string, seconds: number): Promise<number> {
  const wrk = [
    '-c',
    String(loadCore),
    'wrk',
    '-t1',
    '-c16',
    `-d${seconds}s`,
    '-H',
    `Authorization: ${authorization}`,
    url,
  ]
  const { stdout } = await run('taskset', wrk)
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`${url}: not all was answered:\n${stdout}`)
  const rate = Number(/^Requests\/sec:\s+([\d.]+)$/m.exec(stdout)?.[1])
  if (!(rate > 0)) throw new Error(`wrk did not finish:\n${stdout}`)
  return rate
}
