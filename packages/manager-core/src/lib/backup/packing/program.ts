import { spawn, type ChildProcess } from 'node:child_process'
import { Writable, type Duplex, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** A program in a pipeline, or what does the same in this process. */
export interface Filter {
  readonly input: Writable
  readonly output: Readable
  /** Its output may end well although it fails: it is good only when this resolves, with the exit code. */
  readonly done: Promise<number>
  /** What it printed on its standard error, last characters. */
  readonly errors: () => string
  kill(): void
}

/** A program that was started. */
type Program = Pick<Filter, 'done' | 'errors' | 'kill'>

export interface Command {
  readonly command: string
  readonly args: readonly string[]
  /** Exit codes that are no failure. Default: 0. */
  readonly accepted?: readonly number[]
  /** Takes a line of its standard error when that is no error; throws nothing. */
  readonly isReport?: (line: string) => boolean
}

const maxErrors = 4000
const lastWordsMs = 1000
const environment = () => ({ PATH: process.env.PATH, LC_ALL: 'C' })

/** @param accepted exit codes that are no failure. Default: 0. */
export function runFilter(command: string, args: readonly string[], accepted?: readonly number[]): Filter {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], env: environment() })
  return { input: inputOf(child.stdin), output: child.stdout, ...watch(child, { command, args, accepted }) }
}

export interface ChainOptions {
  /** An open file that the second one writes into. Default: nowhere. */
  readonly file?: number
  /** Writes what the first one reads. Default: nothing. */
  readonly feed?: (input: Writable) => Promise<void>
  readonly signal?: AbortSignal | undefined
}

/**
 * Two programs with nothing of this process between them: the second one reads what the first one writes. Resolves when
 * both have ended well, with how the first one did. When this process is killed, they end with the next report that one of
 * them makes.
 */
export async function runChain(
  from: Command,
  to: Command,
  { file, feed, signal }: ChainOptions,
): Promise<{ readonly code: number; readonly errors: string }> {
  signal?.throwIfAborted()
  const second = spawn(to.command, to.args, { stdio: ['pipe', file ?? 'ignore', 'pipe'], env: environment() })
  const between = second.stdin as Writable
  const programs = [watch(second, to)]
  const kill = () => programs.forEach((program) => program.kill())
  signal?.addEventListener('abort', kill)
  try {
    const first = spawn(from.command, from.args, {
      stdio: [feed ? 'pipe' : 'ignore', between, 'pipe'],
      env: environment(),
    })
    const program = watch(first, from)
    programs.unshift(program)
    // The first one has it: when that ends, nobody has.
    between.destroy()
    let starved: { readonly error: unknown } | undefined
    first.stdin?.on('error', () => undefined)
    const feeding = feed?.(first.stdin as Writable).then(
      () => first.stdin?.end(),
      (error: unknown) => {
        starved = { error }
        // Else it has ended, and says why.
        if (!isBrokenPipe(error)) kill()
      },
    )
    const ended = await Promise.allSettled(programs.map(({ done }) => done))
    signal?.throwIfAborted()
    const failed = ended.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))
    if (failed.length === 0) await feeding
    if (starved && !(failed.length > 0 && isBrokenPipe(starved.error))) throw starved.error
    // Who could not write any more was not the first one to fail.
    if (failed.length > 0) throw failed.find((reason) => !isBrokenPipe(reason)) ?? failed[0]
    return { code: await program.done, errors: program.errors() }
  } catch (error) {
    kill()
    throw error
  } finally {
    signal?.removeEventListener('abort', kill)
  }
}

function watch(child: ChildProcess, { command, accepted = [0], isReport = () => false }: Command): Program {
  const stderr = child.stderr as Readable
  let errors = ''
  let line = ''
  stderr.setEncoding('utf8').on('data', (text: string) => {
    const lines = (line + text).split(/(?<=\n)/)
    line = lines.at(-1)?.endsWith('\n') ? '' : (lines.pop() ?? '')
    for (const each of lines) if (!isReport(each.trimEnd())) errors = (errors + each).slice(-maxErrors)
  })
  const said = () => (errors + line).trim()
  const done = new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      const tell = () => {
        clearTimeout(timer)
        if (code !== null && accepted.includes(code)) resolve(code)
        else reject(failure(`${command} ended with ${signal ?? `exit code ${code}`}`, said()))
      }
      // What it printed may come after its end; who else has its standard error open is not waited for.
      const timer = setTimeout(tell, lastWordsMs)
      if (stderr.closed) tell()
      else stderr.once('close', tell)
    })
  })
  // It is awaited later; until then a failure is no unhandled rejection.
  done.catch(() => undefined)
  return { done, errors: said, kill: () => void child.kill('SIGKILL') }
}

/** Programs say only in words what the system told them. */
function failure(what: string, errors: string): Error {
  const error = new Error(`${what}${errors && `: ${errors}`}`)
  if (errors.includes('No space left on device')) return Object.assign(error, { code: 'ENOSPC' })
  const isBroken = /SIGPIPE|Broken pipe|Connection reset by peer/.test(error.message)
  return isBroken ? Object.assign(error, { code: 'EPIPE' }) : error
}

/**
 * Takes everything, also what the program does not read any more: tar ends at the end of an archive, before the end of
 * what pads it, and how a program ended is told by its exit code, not by its pipe.
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

/** A stream of Node as a filter. */
export function filterOf(stream: Duplex): Filter {
  return { input: stream, output: stream, done: Promise.resolve(0), errors: () => '', kill: () => stream.destroy() }
}

/** Resolves when all went through and the program ended well. The first failure ends the others. */
export async function pipeThrough(
  filter: Filter,
  before: readonly [Readable, ...Duplex[]],
  after: readonly [...Duplex[], Writable],
  signal?: AbortSignal,
): Promise<void> {
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
}

/** A stream and the program at its end: what the program says of itself is a better reason than that its pipe broke. */
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
