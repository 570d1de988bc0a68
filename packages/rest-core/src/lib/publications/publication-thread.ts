import { Worker } from 'node:worker_threads'
import type { DocumentAnswer, DocumentRequest, Numbered } from './publication.worker.js'

// Node runs the source as it is, so tests need no build. The name is written out: the build keeps what is named.
const script = new URL(
  import.meta.url.endsWith('.ts') ? './publication.worker.ts' : './publication.worker.js',
  import.meta.url,
)

/** A thread without work ends after this, and what it loaded with it. Not specified. */
const idleMs = 60_000

interface Asked {
  resolve(answer: DocumentAnswer): void
  reject(error: unknown): void
}

let thread: Worker | undefined
let requests = 0
const asked = new Map<number, Asked>()

/** Makes a document in the thread of this process for that, because it takes up to seconds. */
export function makeInThread(request: DocumentRequest): Promise<DocumentAnswer> {
  thread ??= start()
  const worker = thread
  const number = ++requests
  return new Promise((resolve, reject) => {
    worker.postMessage({ ...request, number } satisfies Numbered<DocumentRequest>)
    asked.set(number, { resolve, reject })
    worker.ref()
  })
}

function start(): Worker {
  // Options of the process, such as loaders or the type of its input, are not meant for this thread.
  const worker = new Worker(script, { execArgv: [] })
  let idle: NodeJS.Timeout | undefined
  let cause: unknown
  worker.on('message', (answer: Numbered<DocumentAnswer>) => {
    asked.get(answer.number)?.resolve(answer)
    asked.delete(answer.number)
    if (asked.size > 0) return
    worker.unref()
    clearTimeout(idle)
    idle = setTimeout(() => {
      if (asked.size === 0) end()
    }, idleMs).unref()
  })
  worker.on('error', (error) => (cause = error))
  worker.on('exit', () => {
    if (thread !== worker) return
    thread = undefined
    for (const { reject } of asked.values()) reject(new Error('The thread that makes documents has ended.', { cause }))
    asked.clear()
  })
  return worker

  function end(): void {
    thread = undefined
    void worker.terminate()
  }
}
