import { Worker } from 'node:worker_threads'
import { RestError } from '../../errors.js'
import { Shares } from '../shares.js'
import type { Caller } from '../caller.js'
import type { DocumentAnswer, DocumentRequest } from './publication.worker.js'

// Node runs the source as it is, so tests need no build. The name is written out: the build keeps what is named.
const script = new URL(
  import.meta.url.endsWith('.ts') ? './publication.worker.ts' : './publication.worker.js',
  import.meta.url,
)

/** A thread without work ends after this, and what it loaded with it. Not specified. */
const idleMs = 60_000

/** Limits of a document. Not specified; chosen for documents of a thousand records, which take a few seconds. */
export interface ThreadLimits {
  /** How long a document may take, in ms. Default 60,000. */
  readonly timeoutMs?: number
  /** Memory of a thread, in MiB. Default 1,024. */
  readonly memoryMb?: number
}

/** Each thread makes one document at the same time, with up to a GiB. */
const places = new Shares({
  total: 2,
  perUser: 1,
  maxWaitingPerUser: 10,
  waitMs: 60_000,
  refuse: () =>
    new RestError('ERR_UNAVAILABLE', 'Too many documents are being made. Try again.', { retryAfterSeconds: 10 }),
})

/** Threads without work, with their memory in MiB. */
const idle = new Map<Worker, number>()

/**
 * Makes a document in a thread, because it takes up to seconds. Users take turns. The thread ends when the caller no
 * longer waits, or when it takes too long or too much memory; the process does not notice.
 *
 * @throws RestError ERR_UNAVAILABLE when too many wait, ERR_BAD_REQUEST for a document that is too large
 */
export async function makeInThread(
  request: DocumentRequest,
  { user = '', signal }: Caller = {},
  { timeoutMs = 60_000, memoryMb = 1024 }: ThreadLimits = {},
): Promise<DocumentAnswer> {
  const release = await places.take(user, { signal })
  try {
    return await run(request, signal, { timeoutMs, memoryMb })
  } finally {
    release()
  }
}

function run(
  request: DocumentRequest,
  signal: AbortSignal | undefined,
  { timeoutMs, memoryMb }: Required<ThreadLimits>,
): Promise<DocumentAnswer> {
  const worker = take(memoryMb)
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', gone)
      worker.off('message', answered).off('error', failed).off('exit', ended)
    }
    const stop = (error: Error): void => {
      end()
      void worker.terminate()
      reject(error)
    }
    const gone = (): void => stop(new RestError('ERR_UNAVAILABLE', 'The caller is no longer waiting.'))
    const ended = (): void => stop(new Error('The thread that makes documents has ended.'))
    const failed = (cause: NodeJS.ErrnoException): void =>
      stop(
        cause.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? tooLarge(`takes more than ${memoryMb} MiB of memory`)
          : new Error('The thread that makes documents has ended.', { cause }),
      )
    const answered = (answer: DocumentAnswer): void => {
      end()
      keep(worker, memoryMb)
      resolve(answer)
    }
    const timer = setTimeout(() => stop(tooLarge(`takes longer than ${timeoutMs / 1000} seconds`)), timeoutMs)
    signal?.addEventListener('abort', gone)
    worker.on('message', answered).on('error', failed).on('exit', ended)
    worker.ref()
    worker.postMessage(request)
  })
}

function tooLarge(why: string): RestError {
  return new RestError('ERR_BAD_REQUEST', `The document ${why}; choose fewer records, or fewer fields.`)
}

function take(memoryMb: number): Worker {
  const [waiting] = [...idle].find(([, memory]) => memory === memoryMb) ?? []
  if (waiting) {
    idle.delete(waiting)
    return waiting
  }
  // Options of the process, such as loaders or the type of its input, are not meant for this thread.
  const worker = new Worker(script, { execArgv: [], resourceLimits: { maxOldGenerationSizeMb: memoryMb } })
  // One that ends without work, or is ended, concerns no caller.
  const forget = (): void => void idle.delete(worker)
  return worker.on('error', forget).on('exit', forget)
}

/** Keeps a thread for the next document, for a while. */
function keep(worker: Worker, memoryMb: number): void {
  idle.set(worker, memoryMb)
  worker.unref()
  setTimeout(() => {
    if (idle.delete(worker)) void worker.terminate()
  }, idleMs).unref()
}
