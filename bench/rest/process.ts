import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Target } from './databases.ts'
import { memory, serverCore } from './machine.ts'
import type { ServerName } from './servers.ts'
import { makeFolder } from './test-servers.ts'

const script = fileURLToPath(new URL('serve.ts', import.meta.url))

/** A server under test that runs in a process of its own. */
export interface ServerProcess {
  readonly name: ServerName
  readonly pid: number
  readonly port: number
  /** Resident memory when it was ready. */
  readonly idleMiB: number
  stop(): Promise<void>
}

/**
 * Starts a server twice: the first start fills Node's compile cache, so that the second one, which stays, has neither the
 * type stripper nor compilers of this moment in its memory.
 */
export async function startServer(name: ServerName, target: Target): Promise<ServerProcess> {
  const first = await launch(name, target)
  await first.stop()
  return launch(name, target)
}

async function launch(name: ServerName, target: Target): Promise<ServerProcess> {
  const node = ['-c', String(serverCore), process.execPath, script, name, JSON.stringify(target)]
  const child = spawn('taskset', node, { stdio: ['pipe', 'pipe', 'inherit'], env: await environment() })
  const ended = once(child, 'exit')
  const port = await Promise.race([
    once(createInterface(child.stdout), 'line').then(([line]) => Number(line)),
    ended.then(([code]) => Promise.reject(new Error(`The server "${name}" ended at its start (exit code ${code}).`))),
  ])
  const pid = child.pid!
  return {
    name,
    pid,
    port,
    idleMiB: memory(pid).nowMiB,
    async stop() {
      child.stdin.end()
      await ended
    },
  }
}

let cache: Promise<string> | undefined

async function environment(): Promise<NodeJS.ProcessEnv> {
  cache ??= makeFolder('cache')
  return { ...process.env, NODE_ENV: 'production', NODE_COMPILE_CACHE: await cache }
}

/** Removes what the servers shared. */
export async function removeCache(): Promise<void> {
  if (cache !== undefined) await rm(await cache, { recursive: true, force: true })
}
