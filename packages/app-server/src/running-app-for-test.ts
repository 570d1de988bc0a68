import { spawn } from 'node:child_process'
import type { ChildProcess, ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { Readable, Writable } from 'node:stream'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { vi } from 'vitest'
import type * as program from './main.js'

/** Hashes of passwords cost next to nothing. */
const cheapPasswords = new URL('../../../tests/programs/cheap-passwords.mjs', import.meta.url).href
const cli = fileURLToPath(new URL('../dist/cli.js', import.meta.url))

export interface RunningApp {
  readonly process: ChildProcess
  readonly origin: string
  /** What was printed so far. */
  output(): string
  errors(): string
  /** Sends the signal and gives the exit code. */
  end(signal?: NodeJS.Signals): Promise<number | null>
}

interface StartOptions {
  readonly cwd?: string
  readonly env?: Record<string, string>
  /** File of a socket that listens already. */
  readonly inherited?: number
  /** File that gets what it prints on standard error. Default: `errors` gives it. */
  readonly errorsTo?: number
}

/** Runs the built command line to its end. */
export async function runCli(args: readonly string[], options: StartOptions = {}) {
  const child = start(args, options)
  const [code] = (await once(child.process, 'close')) as [number | null]
  return { code, output: child.output(), errors: child.errors() }
}

/**
 * Runs the built command line to its end within this process, which takes a tenth of the time: for what is refused or
 * done before anything is opened that could keep a process from ending.
 */
export async function runHere(args: readonly string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}) {
  const { cwd, env = {} } = options
  const { main } = (await import(new URL('../dist/main.js', import.meta.url).href)) as typeof program
  const [output, errors] = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockReturnValue(true),
  )
  const before = { env: process.env, cwd: process.cwd() }
  process.env = { PATH: before.env['PATH'], STEWARD_PORT: '0', STEWARD_LOG_LEVEL: 'silent', ...env }
  try {
    if (cwd !== undefined) process.chdir(cwd)
    const code = await main(args)
    const [written, complained] = [output, errors].map((spy) => spy?.mock.calls.map(([text]) => String(text)).join(''))
    return { code, output: written, errors: complained }
  } finally {
    process.env = before.env
    process.chdir(before.cwd)
    output?.mockRestore()
    errors?.mockRestore()
  }
}

/** Starts the built command line on a free port and waits until it serves. */
export async function startApp(args: readonly string[], options: StartOptions = {}): Promise<RunningApp> {
  const child = start(args, options)
  const origin = await new Promise<string>((found, failed) => {
    child.process.stdout?.on('data', () => {
      const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(child.output()) ?? []
      if (address && child.output().includes('Stop:')) found(address)
    })
    child.process.once('close', () => failed(new Error(`It ended: ${child.errors()}`)))
  })
  return {
    ...child,
    origin,
    async end(signal = 'SIGTERM') {
      if (child.process.exitCode !== null || child.process.signalCode !== null) return child.process.exitCode
      const closed = once(child.process, 'close') as Promise<[number | null]>
      child.process.kill(signal)
      return (await closed)[0]
    },
  }
}

function start(args: readonly string[], { cwd, env, inherited, errorsTo }: StartOptions) {
  // A shell knows its number before it becomes the program.
  const shell = ['/bin/sh', '-c', 'export LISTEN_FDS=1 LISTEN_PID=$$; exec "$@"', 'sh'] as const
  const command = [process.execPath, '--import', cheapPasswords, cli] as const
  const [program, ...more] = inherited === undefined ? command : [...shell, ...command]
  const child = spawn(program, [...more, ...args], {
    cwd,
    env: {
      PATH: process.env['PATH'] ?? '',
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      STEWARD_PORT: '0',
      ...env,
    },
    stdio: ['pipe', 'pipe', errorsTo ?? 'pipe', ...(inherited === undefined ? [] : [inherited])],
  }) as ChildProcessByStdio<Writable, Readable, Readable | null>
  let output = ''
  let errors = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  return { process: child, output: () => output, errors: () => errors }
}

/** A folder with these files (relative name → text) that `remove` takes away. */
export async function makeFolder(
  files: Readonly<Record<string, string>>,
): Promise<{ folder: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'steward-app-'))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}

/** A small application: one object in YAML, one in TypeScript with a slow hook. */
export const shopFiles = {
  'app.yaml': 'name: shop\ntitle: Shop\nversion: 1.2.3\nlog: { level: warn }\n',
  'objects/product.yaml': `
name: Product
fields:
  prd_code: { type: string, length: 20, key: true }
  prd_name: { type: string, length: 80, required: true }
`,
  'objects/order.ts': `
import { setTimeout as pause } from 'node:timers/promises'
export const Order = {
  name: 'Order',
  fields: {
    ord_no: { type: 'string', key: true },
    ord_product_id: { type: 'reference', object: 'Product', display: ['prd_name'] },
  },
  hooks: {
    async preCreate({ values }: { values: Record<string, unknown> }) {
      if (values['ord_no'] === 'SLOW') await pause(1000)
    },
  },
}
`,
}

/** An Authorization header. */
export function basic(login: string, password: string): Record<string, string> {
  return { Authorization: `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}` }
}
