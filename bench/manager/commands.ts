import { spawn, spawnSync, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const program = (name: string) => fileURLToPath(new URL(`../../packages/${name}/dist/cli.js`, import.meta.url))
export const managerProgram = program('manager-cli')
export const applicationServer = program('app-server')
export const defaultTemplate = fileURLToPath(new URL('../../templates/default', import.meta.url))

/** A manager's home in a temporary folder, with its commands. */
export interface BenchHome {
  readonly folder: string
  /** Runs a command to its end. @returns ms. @throws Error with what it printed. */
  manager(...args: readonly string[]): Promise<number>
  /** What a command answers with `--json`. */
  json(...args: readonly string[]): Record<string, unknown>
  /** Ends and removes all. */
  close(): Promise<void>
}

export async function openHome(): Promise<BenchHome> {
  const folder = mkdtempSync(join(tmpdir(), 'steward-bench-manager-'))
  const manager = (...args: readonly string[]) => time(process.execPath, [managerProgram, '--home', folder, ...args])
  await manager('init')
  // Without system accounts: this process writes documents of instances, and no accounts are left behind.
  appendFileSync(join(folder, 'config.sh'), 'export APPS_ISOLATION=no\n')
  return {
    folder,
    manager,
    json(...args) {
      const { stdout } = spawnSync(process.execPath, [managerProgram, '--home', folder, '--json', ...args], {
        encoding: 'utf8',
        maxBuffer: 2 ** 28,
      })
      return JSON.parse(stdout) as Record<string, unknown>
    },
    async close() {
      for (;;) {
        const left = processesOf(folder)
        if (left.length === 0) break
        for (const { pid } of left) process.kill(pid, 'SIGKILL')
        await sleep(20)
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Runs a program to its end and takes the time, in ms. @throws Error with what it printed. */
export async function time(command: string, args: readonly string[], options: SpawnOptions = {}): Promise<number> {
  const begin = performance.now()
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] })
  let errors = ''
  child.stderr?.on('data', (chunk) => (errors += String(chunk)))
  const [code] = (await once(child, 'close')) as [number]
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}: ${errors}`)
  return performance.now() - begin
}

/** Resolves when the address answers 200. */
export async function healthy(url: string): Promise<void> {
  for (;;) {
    const answer = await fetch(url).catch(() => undefined)
    await answer?.arrayBuffer()
    if (answer?.status === 200) return
    await sleep(5)
  }
}

/** Processes that name a folder in their command line or environment. */
export function processesOf(folder: string): readonly { readonly pid: number; readonly command: string }[] {
  const read = (pid: string, file: string) => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, 'utf8')
    } catch {
      return ''
    }
  }
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid)
    .filter((pid) => read(pid, 'cmdline').includes(folder) || read(pid, 'environ').includes(folder))
    .map((pid) => ({ pid: Number(pid), command: read(pid, 'cmdline').replaceAll('\0', ' ').trim() }))
}

/** Resident memory in MiB. */
export function residentMiB(pid: number): number {
  const [, kib = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kib) / 1024
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

export function progress(text: string): void {
  process.stderr.write(`${text}\n`)
}
