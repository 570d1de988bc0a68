import { spawn } from 'node:child_process'
import { Duplex } from 'node:stream'

/** A program in a pipeline. Its output may end well although it fails: it is good only when `done` resolves. */
export interface Filter {
  readonly stream: Duplex
  /** Resolves with the exit code when it is one of the accepted ones. */
  readonly done: Promise<number>
  /** What it printed on its standard error, last lines. */
  readonly errors: () => string
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
    child.once('close', (code, signal) => {
      if (code !== null && accepted.includes(code)) resolve(code)
      else reject(new Error(`${command} ended with ${signal ?? `exit code ${code}`}${errors && `: ${errors.trim()}`}`))
    })
  })
  // It is awaited later; until then a failure is no unhandled rejection.
  done.catch(() => undefined)
  const stream = Duplex.from({ writable: child.stdin, readable: child.stdout })
  stream.once('close', () => {
    if (child.exitCode === null && stream.destroyed && !stream.readableEnded) child.kill('SIGKILL')
  })
  return { stream, done, errors: () => errors.trim() }
}
