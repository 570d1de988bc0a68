import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { DatabaseServerError } from '../../server/database-server.js'

// Node runs the source as it is, so tests need no build.
const name = import.meta.url.endsWith('.ts') ? './check-file.worker.ts' : './check-file.worker.js'

/** @throws DatabaseServerError ERR_FAILED for what is not a whole and sound database */
export async function checkFile(file: string): Promise<void> {
  const worker = new Worker(new URL(name, import.meta.url), { workerData: file, execArgv: ['--no-warnings'] })
  try {
    const [found] = (await once(worker, 'message')) as [string]
    if (found === 'ok') return
    throw new DatabaseServerError('ERR_FAILED', `The dump is damaged or incomplete: ${found}.`)
  } finally {
    await worker.terminate()
  }
}
