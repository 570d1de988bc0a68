import { spawn } from 'node:child_process'
import type { ToolCall } from '@steward/db-adapters/server'

export interface WorkerEnd {
  readonly stdout: string
  /** Its last characters. */
  readonly stderr: string
  /** Undefined when a signal ended it. */
  readonly code: number | undefined
  readonly signal: NodeJS.Signals | undefined
  /** It was ended because it took too long, or printed too much. */
  readonly ended?: 'late' | 'long'
}

/** Not specified; chosen as what a person reads. */
const longestError = 4_000
/** Not specified; chosen as long enough for a machine that is busy. */
const lastWordsMs = 1_000

/**
 * Runs a program that an instance may disturb, as its processes may be of the same account: they can stop it, end it, and
 * keep its outputs open. It comes to an end all the same, in the given time.
 *
 * @param longest characters that it may print
 */
export function runWorker(
  { command, args, launch }: ToolCall,
  { limitMs, longest }: { readonly limitMs: number; readonly longest: number },
): Promise<WorkerEnd> {
  const launched = launch?.(command) ?? { command, args: [] }
  const child = spawn(launched.command, [...launched.args, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], ...launched.environment },
  })
  let [stdout, stderr] = ['', '']
  let ended: WorkerEnd['ended']
  const end = (why: NonNullable<WorkerEnd['ended']>) => {
    ended ??= why
    child.kill('SIGKILL')
    child.stdout.destroy()
    child.stderr.destroy()
  }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    if (stdout.length > longest) end('long')
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr = (stderr + text).slice(-longestError)))
  const limit = setTimeout(end, limitMs, 'late')
  return new Promise((resolve, reject) => {
    let lastWords: NodeJS.Timeout | undefined
    const settle = (code: number | null, signal: NodeJS.Signals | null) => {
      clearTimeout(limit)
      clearTimeout(lastWords)
      for (const stream of [child.stdout, child.stderr]) stream.destroy()
      resolve({ stdout, stderr, code: code ?? undefined, signal: signal ?? undefined, ...(ended && { ended }) })
    }
    child.once('error', (error) => {
      clearTimeout(limit)
      reject(error)
    })
    child.once('exit', (code, signal) => (lastWords = setTimeout(settle, lastWordsMs, code, signal)))
    child.once('close', settle)
  })
}
