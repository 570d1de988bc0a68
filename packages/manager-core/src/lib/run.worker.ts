import { truncateSync } from 'node:fs'
import { json } from 'node:stream/consumers'
import { answerOf } from './actions/answer-of.js'
import type { Caller } from './domain/caller.js'
import { grantFrom } from './domain/grant.js'
import type { Input } from './domain/input.js'
import { createManager } from './manager.js'
import { failureAnswerOf, type Answer } from './runs/answer.js'
import { EventLog } from './runs/event-log.js'
import { recovery, type RunRequest, type WorkerTask } from './runs/run.js'
import { createRunFiles } from './runs/run-files.js'
import { failureOf } from './system/failure.js'

/**
 * Performs one run, in a process of its own that outlives the server. SIGTERM cancels it.
 */
async function work(homeFolder: string, id: string, { secrets, ...options }: WorkerTask): Promise<void> {
  const manager = createManager({ ...options, home: homeFolder })
  const { home, clock } = manager.context
  const files = createRunFiles(home.runs)
  const request = files.request(id)
  // It may have been cancelled before, or meanwhile.
  if (!request || files.result(id) || !files.claim(id) || files.result(id)) return
  const cancelled = new AbortController()
  process.on('SIGTERM', () => cancelled.abort(new Error('It was cancelled.')))
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
  const log = new EventLog(files.eventsFile(id), clock)
  const caller = callerOf(request, { signal: cancelled.signal, onEvent: (event) => log.add(event) })
  const answer = caller ? await perform(request, { ...request.input, ...secrets }, caller) : withoutGrant
  log.close()
  manager.close()
  const end = () => files.finish(id, { ended: clock().toISOString(), answer, progressed: log.progressed })
  try {
    await end()
  } catch {
    // The disk is full: how it ended is worth more than how it came there.
    truncateSync(files.eventsFile(id))
    await end()
  }

  async function perform({ action }: RunRequest, input: Readonly<Record<string, Input>>, by: Caller): Promise<Answer> {
    try {
      if (action !== recovery) return answerOf(await manager.perform(action, input, by))
      // Each action does that first.
      await manager.perform('operations', { limit: 1 }, by)
      return { status: 0, message: 'Interrupted operations were finished, or need attention.' }
    } catch (error) {
      return failureAnswerOf(failureOf(error))
    }
  }
}

const withoutGrant: Answer = {
  status: 1,
  message:
    'An earlier version of the manager queued this without what its caller may do, so it was not started. Repeat the call.',
}

/** Undefined: the request does not say what its caller may do. */
function callerOf(
  { id, actor, address, grant, waitMs }: RunRequest,
  live: Pick<Caller, 'signal' | 'onEvent'>,
): Caller | undefined {
  if (!grant) return undefined
  return {
    actor,
    surface: 'api',
    operation: id,
    waitMs: waitMs ?? Number.POSITIVE_INFINITY,
    ...(address !== undefined && { address }),
    grant: grantFrom(grant),
    ...live,
  }
}

const [home = '', id = ''] = process.argv.slice(2)
await work(home, id, (await json(process.stdin)) as WorkerTask)
