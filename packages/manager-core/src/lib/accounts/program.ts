import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync } from 'node:fs'
import { basename } from 'node:path'
import { Writable, type Duplex, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { asAccount, withoutPrivileges, type SystemAccount } from './account.js'
import { openSecret } from './open-secret.js'
import { watchSilence, type WatchedProgram } from './silence.js'

/** By the names of the programs, in the order in which they read one from the other. */
export type ExitCodes = Readonly<Record<string, number>>

/** Programs in a pipeline, or what does the same in this process. */
export interface Filter {
  readonly input: Writable
  readonly output: Readable
  /** Its output may end well although it fails: it is good only when this resolves. */
  readonly done: Promise<ExitCodes>
  /** What it printed on its standard error, last characters. */
  readonly errors: () => string
  kill(): void
}

/** A program that was started. */
interface Program extends Pick<Filter, 'errors' | 'kill'> {
  readonly name: string
  /** Its exit code, when that is accepted. */
  readonly done: Promise<number>
}

export interface Command {
  readonly command: string
  readonly args: readonly string[]
  /** Exit codes that are no failure. Default: 0. */
  readonly accepted?: readonly number[]
  /** Takes a line of its standard error when that is not an error; throws nothing. */
  readonly isReport?: (line: string) => boolean
  /** Whom it runs as. Default: this process's user. */
  readonly account?: SystemAccount | undefined
  /** It reads what an instance or a backup wrote: without an account, it runs without root's capabilities. */
  readonly withoutPrivileges?: true
  /** Its working folder, which it need not be able to reach by its path. Default: this process's. */
  readonly cwd?: string
  /** It reads it from `/dev/fd/3`: arguments and environment are no places for secrets. */
  readonly secret?: string
}

const maxErrors = 4000
/** A longer line is cut. Not specified; chosen as longer than any that a program reports. */
const longestLine = 1 << 16
const lastWordsMs = 1000
const environment = () => ({ PATH: process.env.PATH, LC_ALL: 'C' })

/**
 * Programs of which each reads what the one before it writes. Those of an account are ended when nothing happens for long,
 * see `silence`.
 */
export function runFilter(commands: readonly Command[]): Filter {
  const { stdin, stdout, programs, kill, watched } = startChain(commands, 'pipe', 'pipe')
  let silent: Error | undefined
  const stopWatch = watchSilence(watched, (error) => {
    silent = error
    kill()
    stdin?.destroy()
    stdout?.destroy(error)
  })
  // Its reader may not be there yet; then `done` says why it ended.
  stdout?.on('error', () => undefined)
  stdout?.once('close', stopWatch)
  const done = codesOf(programs).catch((error: unknown) => {
    throw silent ?? error
  })
  // It is awaited later; until then a failure is not an unhandled rejection.
  done.catch(() => undefined)
  const errors = () => programs.map((program) => program.errors()).join('')
  return { input: inputOf(stdin as Writable), output: stdout as Readable, done, errors, kill }
}

export interface ChainOptions {
  /** An open file that the first one reads. Default: what `feed` writes. */
  readonly from?: number
  /** An open file that the last one writes into. Default: nowhere. */
  readonly file?: number
  /** Writes what the first one reads. Default: nothing. */
  readonly feed?: (input: Writable) => Promise<void>
  readonly signal?: AbortSignal | undefined
}

/**
 * Programs with nothing of this process between them: each reads what the one before it writes. Resolves when all have
 * ended well, with what the first one printed. When this process is killed, they end with the next report that one of
 * them makes. Those of an account are ended when nothing happens for long, see `silence`.
 */
export async function runChain(
  commands: readonly Command[],
  { from, file, feed, signal }: ChainOptions,
): Promise<{ readonly codes: ExitCodes; readonly errors: string }> {
  signal?.throwIfAborted()
  const { stdin, programs, kill, watched } = startChain(commands, feed ? 'pipe' : (from ?? 'ignore'), file ?? 'ignore')
  signal?.addEventListener('abort', kill)
  let silent: Error | undefined
  const stopWatch = watchSilence(watched, (error) => {
    silent = error
    kill()
  })
  try {
    let starved: { readonly error: unknown } | undefined
    stdin?.on('error', () => undefined)
    const feeding = feed?.(stdin as Writable).then(
      () => stdin?.end(),
      (error: unknown) => {
        starved = { error }
        // Else it has ended, and says why.
        if (!isBrokenPipe(error)) kill()
      },
    )
    const [ended] = await Promise.allSettled([codesOf(programs)])
    signal?.throwIfAborted()
    if (silent) throw silent
    if (ended.status === 'fulfilled') await feeding
    if (starved && !(ended.status === 'rejected' && isBrokenPipe(starved.error))) throw starved.error
    if (ended.status === 'rejected') throw ended.reason
    return { codes: ended.value, errors: (programs[0] as Program).errors() }
  } catch (error) {
    kill()
    throw error
  } finally {
    stopWatch()
    signal?.removeEventListener('abort', kill)
  }
}

/** From the last one on, as each writes into the next one. */
function startChain(
  commands: readonly Command[],
  input: 'pipe' | 'ignore' | number,
  output: 'pipe' | 'ignore' | number,
) {
  const programs: Program[] = []
  const watched: WatchedProgram[] = []
  let next: ChildProcess | undefined
  let stdout: Readable | null = null
  const kill = () => programs.forEach((program) => program.kill())
  try {
    for (const [index, each] of [...commands.entries()].toReversed()) {
      const child = start(each, index === 0 ? input : 'pipe', next?.stdin ?? output)
      programs.unshift(watch(child, each))
      watched.unshift({ pid: child.pid, command: each.command, account: each.account })
      if (next) endWith(child, next.stdin as Writable)
      else stdout = child.stdout
      next = child
    }
  } catch (error) {
    kill()
    throw error
  }
  return { programs, stdin: next?.stdin, stdout, kill, watched }
}

/** What a program writes into has an end when that program ends: another process of its user may have it open, too. */
function endWith(child: ChildProcess, pipe: Writable): void {
  pipe.on('error', () => undefined)
  for (const event of ['exit', 'error']) child.once(event, () => pipe.end())
}

function start(command: Command, input: 'pipe' | 'ignore' | number, output: Writable | number | 'pipe' | 'ignore') {
  const { secret, cwd } = command
  const files = secret === undefined ? [] : [openSecret(secret)]
  try {
    const [program, args] = callOf(command)
    return spawn(program, args, { stdio: [input, output, 'pipe', ...files], env: environment(), ...(cwd && { cwd }) })
  } finally {
    files.forEach((file) => closeSync(file))
  }
}

/** With what comes before it. */
function callOf({ command, args, account, ...options }: Command): [program: string, args: readonly string[]] {
  const [program, before] = (options.withoutPrivileges ? withoutPrivileges : asAccount)(account, command)
  return [program, [...before, ...args]]
}

/** When all have ended. @throws the failure of the one that failed first: who could not write any more was not. */
async function codesOf(programs: readonly Program[]): Promise<ExitCodes> {
  const ended = await Promise.allSettled(programs.map(({ done }) => done))
  const failed = ended.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []))
  if (failed.length > 0) throw failed.find((reason) => !isBrokenPipe(reason)) ?? failed[0]
  return Object.fromEntries(await Promise.all(programs.map(async ({ name, done }) => [name, await done] as const)))
}

function watch(child: ChildProcess, { command, accepted = [0], isReport = () => false }: Command): Program {
  const stderr = child.stderr as Readable
  let errors = ''
  let line = ''
  stderr.setEncoding('utf8').on('data', (text: string) => {
    const lines = (line + text).split(/(?<=\n)/)
    line = lines.at(-1)?.endsWith('\n') ? '' : (lines.pop() ?? '').slice(-longestLine)
    for (const each of lines) if (!isReport(each.trimEnd())) errors = (errors + each).slice(-maxErrors)
  })
  const said = () => (errors + line).trim()
  const done = new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      const tell = () => {
        clearTimeout(timer)
        stderr.destroy()
        if (code !== null && accepted.includes(code)) resolve(code)
        else reject(failure(`${command} ended with ${signal ?? `exit code ${code}`}`, said()))
      }
      // What it printed may come after its end; who else has its standard error open is not waited for.
      const timer = setTimeout(tell, lastWordsMs)
      if (stderr.closed) tell()
      else stderr.once('close', tell)
    })
  })
  // It is awaited later; until then a failure is not an unhandled rejection.
  done.catch(() => undefined)
  return { name: basename(command), done, errors: said, kill: () => void child.kill('SIGKILL') }
}

/** Programs report errors of the system in words only. */
function failure(what: string, errors: string): Error {
  const error = new Error(`${what}${errors && `: ${errors}`}`)
  if (/no space left on device/i.test(errors)) return Object.assign(error, { code: 'ENOSPC' })
  const isBroken = /SIGPIPE|Broken pipe|Connection reset by peer/.test(error.message)
  return isBroken ? Object.assign(error, { code: 'EPIPE' }) : error
}

/**
 * Takes everything, also what the program does not read any more: tar ends at the end of an archive, before the end of
 * what pads it, and how a program ended is known from its exit code, not by its pipe.
 */
function inputOf(stdin: Writable): Writable {
  stdin.on('error', () => undefined)
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (!stdin.writable) return done()
      let isTold = false
      const tell = () => {
        if (!isTold) done()
        isTold = true
      }
      // Its callback comes also when the program has ended.
      if (stdin.write(chunk, tell)) tell()
    },
    final(done) {
      stdin.end()
      done()
    },
    destroy(error, done) {
      stdin.destroy()
      done(error)
    },
    autoDestroy: false,
  })
}

/** A stream of Node as a filter; its output is another one when its input comes out there. */
export function filterOf(input: Duplex, output: Readable = input): Filter {
  return { input, output, done: Promise.resolve({}), errors: () => '', kill: () => input.destroy() }
}

/** One after the other. */
export function joined(first: Filter, second: Filter): Filter {
  const between = pipeline(first.output, second.input).catch((error: unknown) => {
    for (const { kill } of [first, second]) kill()
    throw error
  })
  const done = bothOf(between, Promise.all([first.done, second.done])).then(([, [one, other]]) => ({
    ...one,
    ...other,
  }))
  done.catch(() => undefined)
  return {
    input: first.input,
    output: second.output,
    done,
    errors: () => first.errors() + second.errors(),
    kill() {
      for (const { kill } of [first, second]) kill()
    },
  }
}

/** Resolves when all went through and the programs ended well. The first failure ends the others. */
export async function pipeThrough(
  filter: Filter,
  before: readonly [Readable, ...Duplex[]],
  after: readonly [...Duplex[], Writable],
  signal?: AbortSignal,
): Promise<ExitCodes> {
  const stop = new AbortController()
  const options = { signal: signal ? AbortSignal.any([signal, stop.signal]) : stop.signal }
  let first: { readonly error: unknown } | undefined
  const parts = [
    pipeline([...before, filter.input], options),
    pipeline([filter.output, ...after], options),
    filter.done,
  ].map((part) =>
    part.catch((error: unknown) => {
      first ??= { error }
      stop.abort()
      filter.kill()
    }),
  )
  await Promise.all(parts)
  signal?.throwIfAborted()
  if (first) throw first.error
  return filter.done
}

/** A stream and the program at its end: the program's own message is a better reason than its broken pipe. */
export async function bothOf<A, B>(stream: Promise<A>, program: Promise<B>): Promise<[A, B]> {
  const [streamed, ended] = await Promise.allSettled([stream, program])
  if (streamed.status === 'rejected' && !isBrokenPipe(streamed.reason)) throw streamed.reason
  if (ended.status === 'rejected') throw ended.reason
  if (streamed.status === 'rejected') throw streamed.reason
  return [streamed.value, ended.value]
}

function isBrokenPipe(error: unknown): boolean {
  const { code = '' } = error as NodeJS.ErrnoException
  return ['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED'].includes(code)
}
