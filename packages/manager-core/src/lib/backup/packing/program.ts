import { spawn } from 'node:child_process'
import type { Duplex, Readable, Writable } from 'node:stream'
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

const maxErrors = 4000

/** @param accepted exit codes that are no failure. Default: 0. */
export function runFilter(command: string, args: readonly string[], accepted: readonly number[] = [0]): Filter {
  const child = spawn(command, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
  })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-maxErrors)
  })
  const done = new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      if (code !== null && accepted.includes(code)) return resolve(code)
      // What it printed may come after its end.
      setImmediate(() =>
        reject(new Error(`${command} ended with ${signal ?? `exit code ${code}`}${errors && `: ${errors.trim()}`}`)),
      )
    })
  })
  // It is awaited later; until then a failure is no unhandled rejection, and neither is a pipe that it left.
  done.catch(() => undefined)
  child.stdin.on('error', () => undefined)
  return {
    input: child.stdin,
    output: child.stdout,
    done,
    errors: () => errors.trim(),
    kill: () => void child.kill('SIGKILL'),
  }
}

/** A stream of Node as a filter. */
export function filterOf(stream: Duplex): Filter {
  return { input: stream, output: stream, done: Promise.resolve(0), errors: () => '', kill: () => stream.destroy() }
}

/** How long a program that closed its input may take to say why, in ms. */
const lastWordsMs = 5000

/** Resolves when all went through and the program ended well; of several failures the one that led to the others. */
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
    part.catch(async (error: unknown) => {
      if (isBrokenPipe(error)) await Promise.race([filter.done.catch(() => undefined), later(lastWordsMs, stop.signal)])
      first ??= { error }
      stop.abort()
      filter.kill()
    }),
  )
  await Promise.all(parts)
  signal?.throwIfAborted()
  if (!first) return
  if (isBrokenPipe(first.error)) await filter.done
  throw first.error
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

function later(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
