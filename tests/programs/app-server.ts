import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { cheapPasswords } from '../cheap-passwords.js'

const builtCli = fileURLToPath(new URL('../../packages/app-server/dist/cli.js', import.meta.url))

export interface RunningApp {
  /** e.g. `http://127.0.0.1:40123`. */
  readonly origin: string
  /** What was printed so far. */
  output(): string
  errors(): string
  /** Calls the REST service as the administrator; a body makes it a POST. */
  call(path: string, options?: { method?: string; body?: unknown; as?: string }): Promise<Answer>
  /** Asks it to stop (`SIGKILL`: does not ask) and waits until it has. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

export interface Answer {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- each test knows what it asked for
  readonly body: any
}

export interface AppOptions {
  /** Its program; default: that of this repository. */
  readonly cli?: string
  readonly cwd?: string
  /** The administrator's password; absent: one is made up and printed. */
  readonly password?: string
  readonly env?: Readonly<Record<string, string>>
}

/** Starts the built app-server on a free port and waits until it serves. */
export async function startApp(
  args: readonly string[],
  { cli = builtCli, cwd, password, env: more }: AppOptions = {},
): Promise<RunningApp> {
  const env = {
    PATH: process.env['PATH'] ?? '',
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    ...more,
    ...(password !== undefined && { STEWARD_ADMIN_PASSWORD: password }),
  }
  const before = cli === builtCli ? ['--import', cheapPasswords] : []
  const child = spawn(process.execPath, [...before, cli, ...args, '--port', '0'], { cwd, env })
  let output = ''
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  const origin = await new Promise<string>((found, failed) => {
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? []
      if (address && output.includes('Stop:')) found(address)
    })
    child.once('close', () => failed(new Error(`app-server ended: ${errors}`)))
  })
  const secret = password ?? /with the password (\S+)/.exec(output)?.[1] ?? ''
  return { origin, output: () => output, errors: () => errors, call, stop }

  async function call(
    path: string,
    { method, body, as = `admin:${secret}` }: Parameters<RunningApp['call']>[1] = {},
  ): Promise<Answer> {
    const answer = await fetch(`${origin}/api/rest${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { Authorization: `Basic ${Buffer.from(as).toString('base64')}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, body: await answer.json() }
  }

  async function stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    const closed = once(child, 'close')
    child.kill(signal)
    await closed
  }
}
