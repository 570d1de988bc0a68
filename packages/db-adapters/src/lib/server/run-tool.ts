import { spawn } from 'node:child_process'
import type { ChildProcess, ChildProcessByStdio } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { DatabaseServerError } from './database-server.js'
import type { ClientProgram, Launch, LaunchedProgram } from './database-server.js'

export interface ToolCall {
  /** Absolute path. */
  readonly command: string
  /** No secrets: everybody on the machine can read them. */
  readonly args: readonly string[]
  /** Beside the few variables of this process that programs need, see `passedOn`. */
  readonly environment?: Readonly<Record<string, string>>
  /** Default: as it is. */
  readonly launch?: Launch | undefined
  /** Ends the program. */
  readonly signal?: AbortSignal | undefined
}

export interface RunningTool {
  readonly process: ChildProcessByStdio<Writable, Readable, Readable>
  /**
   * Resolves when the program ended with 0 and its streams are closed. @throws DatabaseServerError ERR_FAILED with the
   * last lines that it printed; the signal's reason when that ended it.
   */
  readonly ended: Promise<void>
}

/** Not specified; chosen as what a person reads. */
const mostOutput = 4_000
/** Not specified; chosen as long enough for a machine that is busy. */
const lastWordsMs = 1_000

/** Starts a program. What it prints to stderr is kept for errors. */
export function startTool({ command, args, environment, launch, signal }: ToolCall): RunningTool {
  signal?.throwIfAborted()
  const launched = launchedBy(launch, command)
  const child = spawn(launched.command, [...launched.args, ...args], {
    stdio: 'pipe',
    env: environmentOf(environment, launched),
  })
  // A program that ends early closes its input; its exit code says why.
  child.stdin.on('error', () => {})
  return { process: child, ended: endOf(child, { command, signal }) }
}

/** As `RunningTool.ended`, of a program that was started. */
export function endOf(
  child: ChildProcess & { readonly stderr: Readable },
  { command, signal }: Pick<ToolCall, 'command' | 'signal'>,
): Promise<void> {
  let printed = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed = (printed + text).slice(-mostOutput)))
  const abort = () => void child.kill('SIGKILL')
  signal?.addEventListener('abort', abort, { once: true })
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', (cause) =>
      reject(new DatabaseServerError('ERR_FAILED', `Cannot run ${command}: ${cause.message}`, { cause })),
    )
    let timer: NodeJS.Timeout | undefined
    // What it printed may come after its end; another process of its user may have its outputs open for ever.
    child.once('exit', (code, killedBy) => (timer = setTimeout(settle, lastWordsMs, code, killedBy)))
    child.once('close', (code, killedBy) => settle(code, killedBy))

    function settle(code: number | null, killedBy: NodeJS.Signals | null): void {
      clearTimeout(timer)
      child.stderr.destroy()
      signal?.removeEventListener('abort', abort)
      if (signal?.aborted) return reject(signal.reason as Error)
      if (code === 0) return resolve()
      const how = killedBy ? `was ended by ${killedBy}` : `failed with exit code ${code}`
      const output = printed.trim()
      const cause = causeLine(output)
      const message = `${command} ${how}${cause === '' ? '.' : `: ${cause}`}`
      reject(new DatabaseServerError('ERR_FAILED', message, { output }))
    }
  })
  ended.catch(() => {})
  return ended
}

/** The last line that names an error, which some programs follow with the statement and a mark below it; else the last line. */
function causeLine(output: string): string {
  const lines = output.split('\n')
  return lines.findLast((line) => /\b(?:error|fatal)\b/i.test(line)) ?? lines.at(-1) ?? ''
}

/** Runs a program without input. @throws as `RunningTool.ended` */
export async function runToEnd(call: ToolCall): Promise<{ readonly output: string }> {
  const { process: child, ended } = startTool(call)
  let output = ''
  child.stdin.end()
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  await ended
  return { output }
}

export function launchedBy(launch: Launch | undefined, program: string): LaunchedProgram {
  return launch?.(program) ?? { command: program, args: [] }
}

/** A program for a person at a terminal. */
export function clientProgram(
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  launch: Launch | undefined,
): ClientProgram {
  const launched = launchedBy(launch, program)
  return {
    command: launched.command,
    args: [...launched.args, ...args],
    environment: { ...launched.environment, ...environment },
  }
}

/** What a program gets. */
export const environmentOf = (own: ToolCall['environment'], { environment }: LaunchedProgram) => ({
  ...passedOn(),
  LC_ALL: 'C',
  ...environment,
  ...own,
})

/** Not all: variables such as PGSERVICE or MYSQL_HOST would lead a program to another server. */
function passedOn(): Record<string, string> {
  const names = ['PATH', 'HOME', 'TMPDIR', 'PGSSLMODE', 'PGSSLROOTCERT', 'PGSSLCERT', 'PGSSLKEY']
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  )
}
