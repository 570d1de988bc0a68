import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { ManagerError } from '../../errors.js'
import type { ManagerContext } from '../context.js'
import { failureOf } from '../system/failure.js'
import { stateOf } from '../system/process-identity.js'
import { failureAnswerOf } from './answer.js'
import { findOperations } from './find-operations.js'
import { followOperation } from './follow-operation.js'
import { launchWorker } from './launch-worker.js'
import { hasEnded } from './operation-item.js'
import { notBegun } from './progress.js'
import { requestOf } from './request.js'
import type { RunRequest } from './run.js'
import { createRunFiles } from './run-files.js'
import type { Runs } from './runs.js'
import { keepUp } from './upkeep.js'
import { createWatches } from './watch-operation.js'

export interface RunsOptions {
  readonly context: () => ManagerContext
  /** That settings may come from. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** How often it looks for an answer that another process gives, in ms. */
const answerPollMs = 500

export function createRuns({ context, environment }: RunsOptions): Runs {
  const { home, clock, applicationServer, defaultTemplate, command } = context()
  const files = createRunFiles(home.runs)
  const operations = findOperations({
    files,
    registry: () => context().registry,
    stepsOf: (entry) => context().operations.stepsOf(entry),
    clock,
  })
  const waiting: { readonly id: string; readonly secrets: RunRequest['input'] }[] = []
  const watches = createWatches(files, operations)
  /** Those that continue. */
  const going = new Set<string>()
  /** Those that wait or run in this process. */
  const ends = new Map<string, PromiseWithResolvers<void>>()

  function dispatch(): void {
    while (going.size < mostAtOnce()) {
      const next = waiting.shift()
      if (!next) return
      going.add(next.id)
      const task = { applicationServer, defaultTemplate, command, environment, secrets: next.secrets }
      void launchWorker(files, { home: home.folder, id: next.id, clock }, task).finally(() => {
        going.delete(next.id)
        ended(next.id)
        dispatch()
      })
    }
  }

  /** Settings that cannot be read are reported by the worker. */
  function mostAtOnce(): number {
    try {
      return context().settings.global.workers
    } catch {
      return 1
    }
  }

  function ended(id: string): void {
    ends.get(id)?.resolve()
    ends.delete(id)
  }

  async function add(request: RunRequest, secrets: RunRequest['input'] = {}): Promise<string> {
    try {
      await files.create(request)
    } catch (error) {
      await files.remove(request.id).catch(() => {})
      throw failureOf(error)
    }
    ends.set(request.id, Promise.withResolvers())
    waiting.push({ id: request.id, secrets })
    dispatch()
    return request.id
  }

  /** Continues one of an earlier server. */
  function resume(id: string): void {
    if (ends.has(id)) return
    ends.set(id, Promise.withResolvers())
    waiting.push({ id, secrets: {} })
  }

  return {
    ...operations,
    async begin(action, input, caller) {
      const { request, secrets } = requestOf(action, input, caller, context())
      return add(request, secrets)
    },
    async answer(id, signal) {
      const aborted = signal.aborted ? Promise.resolve() : once(signal, 'abort')
      await Promise.race([ends.get(id)?.promise, aborted])
      // The worker may have been killed: then others bring its operation to an end.
      while (!signal.aborted) {
        const item = operations.find(id)
        if (!item || (hasEnded(item) && item.result)) return item?.result
        await sleep(answerPollMs, undefined, { signal }).catch(() => {})
      }
      return undefined
    },
    async *follow(id, options) {
      const watch = watches.begin(id)
      try {
        yield* followOperation(watch, options)
      } finally {
        watch.end()
      }
    },
    async cancel(id, by) {
      const item = operations.find(id)
      if (!item) throw new ManagerError('ERR_NOT_FOUND', `No operation has the id "${id.slice(0, 40)}".`)
      const { title } = item
      if (hasEnded(item)) throw new ManagerError('ERR_STATE', `${title}: it has already ended.`)
      // Its process may be about to start.
      while (going.has(id) && !files.worker(id)) await sleep(answerPollMs)
      const worker = files.request(id) && files.worker(id)
      const at = waiting.findIndex((one) => one.id === id)
      if (!worker && at >= 0) {
        waiting.splice(at, 1)
        const answer = failureAnswerOf(new ManagerError('ERR_FAILED', `It was cancelled by ${by} before it started.`))
        await files.finish(id, { ended: clock().toISOString(), answer, progressed: notBegun })
        ended(id)
      } else if (worker && stateOf(worker) === 'alive') process.kill(worker.pid, 'SIGTERM')
      else
        throw new ManagerError(
          'ERR_STATE',
          `${title}: only operations that the server started can be cancelled here.`,
          {
            help: 'To cancel a command, press Ctrl-C where it runs.',
          },
        )
      return { title }
    },
    serve: () => keepUp({ context, files, going, add, resume, dispatch }),
  }
}
