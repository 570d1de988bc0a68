import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ManagerError } from '../../errors.js'
import { failureAnswerOf } from './answer.js'
import { notBegun } from './progress.js'
import type { WorkerTask } from './run.js'
import type { RunFiles } from './run-files.js'

/** Sources are for tests, which have the build beside them. */
const program = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../../dist/run.worker.js' : './run.worker.js', import.meta.url),
)

/**
 * Starts the worker of a run, in a session of its own: no signal for the server reaches it. Who and what it is, is shown
 * by its arguments; all that may be secret goes through its standard input.
 *
 * @returns resolves when it has ended, however
 */
export async function launchWorker(
  files: RunFiles,
  { home, id, clock }: { readonly home: string; readonly id: string; readonly clock: () => Date },
  task: WorkerTask,
): Promise<void> {
  let output = ''
  try {
    const log = openSync(files.logFile(id), 'a', 0o600)
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, home, id], {
      cwd: home,
      detached: true,
      stdio: ['pipe', 'ignore', log],
    })
    closeSync(log)
    child.unref()
    // One that ends at once reads nothing.
    child.stdin?.on('error', () => {})
    child.stdin?.end(JSON.stringify(task))
    await once(child, 'exit')
    if (files.result(id) || files.worker(id)) return
    output = readFileSync(files.logFile(id), 'utf8').slice(-2000)
  } catch (error) {
    output = String(error)
  }
  // It has not even started.
  const answer = failureAnswerOf(new ManagerError('ERR_FAILED', 'Its process could not be started.', { output }))
  await files.finish(id, { ended: clock().toISOString(), answer, progressed: notBegun }).catch(() => {})
}
