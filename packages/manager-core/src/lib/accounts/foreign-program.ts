import { spawn, type ChildProcessByStdio } from 'node:child_process'
import type { Readable } from 'node:stream'
import { watchChild, type ChildEnd, type EndReason } from './foreign-child.js'

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

export interface ForeignEnd extends ChildEnd {
  /** Without its last line break. */
  readonly stdout: string
}

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
  let [stdout, line] = ['', '']
  let killing: NodeJS.Timeout | undefined
  return new Promise((resolve) => {
    const watched = watchChild(child, {
      onText(text) {
        stdout += text
        if (stdout.length > longest) return end('long')
        if (!isEnough) return
        line += text
        if (!text.includes('\n')) return
        const lines = line.split('\n')
        line = lines.pop() ?? ''
        if (lines.some(isEnough)) end('enough')
      },
      onExit: () => clearTimeout(limit),
      onEnd(how) {
        for (const timer of [limit, killing]) clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
        resolve({ ...how, stdout: stdout.replace(/\r?\n$/, '') })
      },
    })
    const end = (why: EndReason) => {
      if (!watched.give(why)) return
      if (graceMs === 0 || why === 'enough') return watched.kill()
      child.kill('SIGTERM')
      killing = setTimeout(watched.kill, graceMs)
    }
    const limit = setTimeout(end, limitMs, 'late').unref()
    const onAbort = () => end('cancelled')
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}

function start({ program, args, folder, environment }: ForeignCall): ChildProcessByStdio<null, Readable, Readable> {
  return spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment,
    ...(folder !== undefined && { cwd: folder }),
  })
}
