import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import type { Writable } from 'node:stream'
import { statOf } from '../system/process-table.js'
import { watchChild, type EndReason } from './foreign-child.js'
import type { ForeignCall, ForeignEnd } from './foreign-program.js'

export interface WorkerCall extends Pick<ForeignCall, 'program' | 'args' | 'environment' | 'limitMs' | 'longest'> {
  /** What it works on: it serves nothing else. */
  readonly subject: string
  /** A line. */
  readonly request: string
}

/** Its answer is a line, which is empty when it was none to this call. Without one, it has ended, or was ended. */
export type WorkerAnswer = { readonly line: string } | ForeignEnd

/** How long a worker waits for the next call. Not specified; chosen as longer than between two calls of a step. Tests shorten it. */
export const idleTime = { limitMs: 2_000 }
/** How many workers wait for calls at the same time. Not specified; chosen as the files that one operation works with, and a few more. */
const mostIdle = 4

/** By what was started, the one that has waited the longest first. */
const idle = new Map<string, Worker>()

interface Worker {
  /** Whether it can take a call: it runs, and was not stopped. */
  isReady(): boolean
  call(request: string, limitMs: number, longest: number): Promise<WorkerAnswer>
  /** It answered, and may take another call. */
  isSound(): boolean
  /** It holds up the end of this process no longer, and is ended when it says something without a call. */
  rest(onEnd: () => void): void
  kill(): void
}

/**
 * Asks a program that answers lines of its standard input, `<id> <request>`, by lines `<id> <answer>`. Like those of
 * `runForeignProgram`, it may do whatever an instance makes it do, and the call comes to an end in its time. It is kept
 * for the next calls of the same program on the same subject, with the same arguments and environment, and does one after
 * the other; calls at the same time have one each. It has to end when its standard input does: so it ends with this process, however that ends.
 *
 * A call must do no harm when it is done twice: it is, when the worker that was kept for it turns out to have ended.
 */
export async function askWorker({ subject, request, limitMs, longest, ...program }: WorkerCall): Promise<WorkerAnswer> {
  const { program: file, args, environment } = program
  const key = JSON.stringify([subject, file, args, environment])
  const begin = performance.now()
  const kept = take(key)
  const answer = await kept?.call(request, limitMs, longest)
  if (kept && answer && ('line' in answer || answer.ended)) {
    keep(key, kept)
    return answer
  }
  let worker
  try {
    worker = start(program)
  } catch (error) {
    return { stdout: '', stderr: '', code: undefined, signal: undefined, error: error as NodeJS.ErrnoException }
  }
  const left = Math.max(1, limitMs - (performance.now() - begin))
  const first = await worker.call(request, left, longest)
  keep(key, worker)
  return first
}

function take(key: string): Worker | undefined {
  const worker = idle.get(key)
  idle.delete(key)
  if (!worker || worker.isReady()) return worker
  worker.kill()
  return undefined
}

function keep(key: string, worker: Worker): void {
  if (!worker.isSound()) return
  if (idle.has(key)) return worker.kill()
  idle.set(key, worker)
  worker.rest(() => {
    if (idle.get(key) === worker) idle.delete(key)
  })
  for (const [other, longest] of idle) {
    if (idle.size <= mostIdle) return
    idle.delete(other)
    longest.kill()
  }
}

interface Pending {
  readonly id: string
  readonly settle: (answer: WorkerAnswer) => void
  readonly longest: number
  stdout: string
}

/** @throws what the system says at once; what it says later is the end of the first call */
function start({ program, args, environment }: Pick<WorkerCall, 'program' | 'args' | 'environment'>): Worker {
  const child = spawn(program, args, { stdio: 'pipe', env: environment })
  let pending: Pending | undefined
  let isSound = true
  let resting: { readonly timer: NodeJS.Timeout; readonly onEnd: () => void } | undefined
  const kill = () => {
    isSound = false
    watched.kill()
  }
  const end = (why: EndReason) => {
    watched.give(why)
    kill()
  }
  const wake = () => {
    clearTimeout(resting?.timer)
    resting?.onEnd()
    resting = undefined
  }
  const watched = watchChild(child, {
    onText(text) {
      // Nothing was asked: its account wrote it.
      if (!pending) return kill()
      pending.stdout += text
      if (pending.stdout.length > pending.longest) return end('long')
      const at = pending.stdout.indexOf('\n')
      if (at === -1) return
      const { id, stdout } = pending
      const isAnswer = stdout.startsWith(`${id} `)
      // Its account wrote it, or part of it.
      if (!isAnswer || at < stdout.length - 1) kill()
      pending.settle({ line: isAnswer ? stdout.slice(id.length + 1, at) : '' })
    },
    onExit: () => (isSound = false),
    isWanted: () => pending !== undefined,
    onEnd(how) {
      isSound = false
      wake()
      pending?.settle({ ...how, stdout: pending.stdout })
    },
  })
  return {
    isReady: () => isSound && !['T', 't', undefined].includes(statOf(child.pid as number)?.state),
    isSound: () => isSound,
    kill,
    call(request, limitMs, longest) {
      wake()
      watched.forgetErrors()
      watched.hold(true)
      return new Promise((resolve) => {
        const limit = setTimeout(end, limitMs, 'late')
        const settle = (answer: WorkerAnswer) => {
          clearTimeout(limit)
          pending = undefined
          resolve(answer)
        }
        pending = { id: randomUUID(), settle, longest, stdout: '' }
        const over = watched.end()
        if (over) settle({ ...over, stdout: '' })
        else (child.stdin as Writable | undefined)?.write(`${pending.id} ${request}\n`)
      })
    },
    rest(onEnd) {
      watched.hold(false)
      resting = { timer: setTimeout(kill, idleTime.limitMs).unref(), onEnd }
    },
  }
}
