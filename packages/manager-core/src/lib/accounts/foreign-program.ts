import { spawn, type ChildProcessByStdio } from 'node:child_process'
import type { Readable } from 'node:stream'

export interface ForeignCall {
  readonly program: string
  readonly args: readonly string[]
  /** Its working folder. Default: this process's. */
  readonly folder?: string
  /** All of it. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** It is ended after this time. */
  readonly limitMs: number
  /** Most characters that it may print on its standard output. */
  readonly longest: number
  /** Between SIGTERM and SIGKILL, for a program that has to clean up. Default: SIGKILL at once. */
  readonly graceMs?: number
  readonly signal?: AbortSignal | undefined
  /** Called with each whole line of its standard output; true: it need not run any longer. */
  readonly isEnough?: (line: string) => boolean
}

export interface ForeignEnd {
  /** Without its last line break. */
  readonly stdout: string
  /** Its last characters. */
  readonly stderr: string
  /** Undefined when it was ended, or could not be started. */
  readonly code: number | undefined
  readonly signal: NodeJS.Signals | undefined
  /** Why it was ended; absent: it ended by itself, or a signal of another process ended it. */
  readonly ended?: 'late' | 'long' | 'enough' | 'cancelled'
  /** It could not be started. */
  readonly error?: NodeJS.ErrnoException
}

/** Not specified; chosen as more than any message. */
const longestError = 65_536
/** Not specified; chosen as long enough for a machine that is busy. */
const lastWordsMs = 1_000

const running = new Set<() => void>()
const endAll = () => running.forEach((kill) => kill())
let endsWithProcess = false

/**
 * Runs a program of which an instance is the author, or whose account it shares, without input: it may never end, print
 * without end, be stopped, and leave children that keep its outputs open. The call comes to an end all the same, in the
 * given time: nothing but the program itself is waited for. It ends with this process.
 */
export function runForeignProgram(call: ForeignCall): Promise<ForeignEnd> {
  const { limitMs, longest, graceMs = 0, signal, isEnough } = call
  const nothing = { stdout: '', stderr: '', code: undefined, signal: undefined }
  if (signal?.aborted) return Promise.resolve({ ...nothing, ended: 'cancelled' })
  let child: ReturnType<typeof start>
  try {
    child = start(call)
  } catch (error) {
    return Promise.resolve({ ...nothing, error: error as NodeJS.ErrnoException })
  }
  // Without a free file descriptor there are none.
  const [output, errors]: readonly (Readable | undefined)[] = [child.stdout, child.stderr]
  let [stdout, stderr, line] = ['', '', '']
  let ended: ForeignEnd['ended']
  let killing: NodeJS.Timeout | undefined
  const kill = () => void child.kill('SIGKILL')
  const end = (why: NonNullable<ForeignEnd['ended']>) => {
    if (ended) return
    ended = why
    if (graceMs === 0 || why === 'enough') return kill()
    child.kill('SIGTERM')
    killing = setTimeout(kill, graceMs)
  }
  output?.setEncoding('utf8').on('data', (text: string) => {
    if (ended) return
    stdout += text
    if (stdout.length > longest) return end('long')
    if (!isEnough) return
    line += text
    if (!text.includes('\n')) return
    const lines = line.split('\n')
    line = lines.pop() ?? ''
    if (lines.some(isEnough)) end('enough')
  })
  errors?.setEncoding('utf8').on('data', (text: string) => (stderr = (stderr + text).slice(-longestError)))
  const forget = endWithProcess(kill)
  const limit = setTimeout(end, limitMs, 'late').unref()
  const onAbort = () => end('cancelled')
  signal?.addEventListener('abort', onAbort, { once: true })
  return new Promise((resolve) => {
    let lastWords: NodeJS.Timeout | undefined
    const settle = (end: Pick<ForeignEnd, 'code' | 'signal' | 'error'>) => {
      for (const timer of [limit, killing, lastWords]) clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      forget()
      for (const stream of [output, errors]) stream?.destroy()
      resolve({ ...end, stdout: stdout.replace(/\r?\n$/, ''), stderr, ...(ended && { ended }) })
    }
    const settleBy = (code: number | null, by: NodeJS.Signals | null) =>
      settle({ code: ended ? undefined : (code ?? undefined), signal: by ?? undefined })
    child.on('error', (error) => {
      // Else it could not be signalled.
      if (child.pid === undefined) settle({ code: undefined, signal: undefined, error })
    })
    child.once('exit', (code, by) => {
      clearTimeout(limit)
      // What it printed may come after its end: it is read once more, however late this process is.
      lastWords = setTimeout(() => setImmediate(settleBy, code, by), ended ? 0 : lastWordsMs)
    })
    child.once('close', settleBy)
  })
}

function start({ program, args, folder, environment }: ForeignCall): ChildProcessByStdio<null, Readable, Readable> {
  return spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment,
    ...(folder !== undefined && { cwd: folder }),
  })
}

/** Calls it when this process ends by itself. @returns forgets it */
export function endWithProcess(kill: () => void): () => void {
  running.add(kill)
  if (!endsWithProcess) process.once('exit', endAll)
  endsWithProcess = true
  return () => void running.delete(kill)
}
