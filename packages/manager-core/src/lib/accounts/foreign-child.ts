import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'

/** Why it was ended. */
export type EndReason = 'late' | 'long' | 'enough' | 'cancelled'

export interface ChildEnd {
  /** The last characters of its standard error. */
  readonly stderr: string
  /** Undefined when it was ended, or could not be started. */
  readonly code: number | undefined
  readonly signal: NodeJS.Signals | undefined
  /** Absent: it ended by itself, or a signal of another process ended it. */
  readonly ended?: EndReason
  /** It could not be started. */
  readonly error?: NodeJS.ErrnoException
}

export interface WatchOptions {
  /** Gets its standard output, until a reason to end it was given. */
  readonly onText: (text: string) => void
  /** Called when its process has ended; what it printed may come yet. */
  readonly onExit?: () => void
  /** Whether what it printed last is wanted. Default: yes. */
  readonly isWanted?: () => boolean
  /** Called once, when nothing more comes of it. */
  readonly onEnd: (end: ChildEnd) => void
}

/** A program of which an instance is the author, or whose account it shares. */
export interface ForeignChild {
  kill(): void
  /** @returns false when there was a reason before. */
  give(reason: EndReason): boolean
  /** How it ended; undefined: it has not, as far as is known. */
  end(): ChildEnd | undefined
  /** What it said on its standard error until now is of no interest. */
  forgetErrors(): void
  /** Whether it keeps this process from ending. */
  hold(isHeld: boolean): void
}

/** Not specified; chosen as more than any message. */
const longestError = 65_536
/** Not specified; chosen as long enough for a machine that is busy. */
const lastWordsMs = 1_000

const running = new Set<() => void>()
const endAll = () => running.forEach((kill) => kill())
let endsWithProcess = false

/**
 * Watches a program that may print without end, be stopped, and leave children that keep its outputs open: nothing but the
 * program itself is waited for. It ends with this process.
 */
export function watchChild(
  child: ChildProcess,
  { onText, onExit, isWanted = () => true, onEnd }: WatchOptions,
): ForeignChild {
  // Without a free file descriptor there are none.
  const streams = [child.stdin, child.stdout, child.stderr] as (Socket | null | undefined)[]
  let stderr = ''
  let ended: EndReason | undefined
  let over: ChildEnd | undefined
  const kill = () => void child.kill('SIGKILL')
  running.add(kill)
  if (!endsWithProcess) process.once('exit', endAll)
  endsWithProcess = true
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    if (!ended) onText(text)
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr = (stderr + text).slice(-longestError)))
  // How it ended is known from its end.
  for (const stream of streams) stream?.on('error', () => undefined)
  let lastWords: NodeJS.Timeout | undefined
  const finish = (how: Pick<ChildEnd, 'code' | 'signal' | 'error'>) => {
    if (over) return
    over = { ...how, stderr, ...(ended && { ended }) }
    clearTimeout(lastWords)
    running.delete(kill)
    for (const stream of streams) stream?.destroy()
    onEnd(over)
  }
  const finishBy = (code: number | null, by: NodeJS.Signals | null) =>
    finish({ code: ended ? undefined : (code ?? undefined), signal: by ?? undefined })
  child.on('error', (error) => {
    // Else it could not be signalled.
    if (child.pid === undefined) finish({ code: undefined, signal: undefined, error })
  })
  child.once('exit', (code, by) => {
    onExit?.()
    // What it printed may come after its end: it is read once more, however late this process is.
    lastWords = setTimeout(() => setImmediate(finishBy, code, by), ended || !isWanted() ? 0 : lastWordsMs)
  })
  child.once('close', finishBy)
  return {
    kill,
    give(reason) {
      if (ended) return false
      ended = reason
      return true
    },
    end: () => over,
    forgetErrors: () => (stderr = ''),
    hold(isHeld) {
      for (const each of [child, ...streams]) each?.[isHeld ? 'ref' : 'unref']()
    },
  }
}
