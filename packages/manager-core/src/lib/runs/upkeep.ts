import { ManagerError } from '../../errors.js'
import type { ManagerContext } from '../context.js'
import { createJournal } from '../store/journal.js'
import { stateOf } from '../system/process-identity.js'
import { failureAnswerOf } from './answer.js'
import { notBegun } from './progress.js'
import { recoveryRequest } from './request.js'
import type { RunRequest } from './run.js'
import { outcomeOf, type RunFiles } from './run-files.js'

export interface UpkeepOptions {
  readonly context: () => ManagerContext
  readonly files: RunFiles
  /** Runs that continue. */
  readonly going: Set<string>
  readonly add: (request: RunRequest) => Promise<string>
  /** Puts one that was written down into the queue. */
  readonly resume: (id: string) => void
  /** Starts what may start. */
  readonly dispatch: () => void
}

/** Finished ones are kept that long. Not specified; chosen because one looks back a week at most. */
const keepMs = 7 * 24 * 3_600_000
/** One that waited longer while no server was there is not started any more: it is no longer expected. */
const staleMs = 3_600_000
/** How often is looked after what continues without this server's doing. */
const lookMs = 5_000
const pruneMs = 3_600_000
/** Until an operation that could not be recovered is tried again. */
const againMs = 600_000

/** What a server does beside start runs. Failures are for the next time: a server continues without it. */
export function keepUp({ context, files, going, add, resume, dispatch }: UpkeepOptions): { close(): void } {
  const tried = new Map<string, number>()
  /** Runs in the queue of another server, which alone knows their secrets. */
  let elsewhere: readonly string[] = []
  const now = () => context().clock().getTime()
  const guarded = (work: () => Promise<void>) => () => void work().catch(() => {})
  const look = guarded(async () => {
    await takeOver(elsewhere)
    await recover()
  })
  const timers = [setInterval(look, lookMs), setInterval(guarded(prune), pruneMs)]
  for (const timer of timers) timer.unref()
  guarded(async () => {
    await takeOver((await files.ids()).toReversed())
    await recover()
    await prune()
  })()
  return { close: () => timers.forEach(clearInterval) }

  /** What another server left. */
  async function takeOver(ids: readonly string[]): Promise<void> {
    const left: string[] = []
    for (const id of ids) {
      if (going.has(id)) continue
      const { worker, result } = outcomeOf(files, id)
      const request = files.request(id)
      if (result || !request) continue
      if (worker) follow(id)
      else if (request.hasSecrets && request.server && stateOf(request.server) !== 'dead') left.push(id)
      else if (request.hasSecrets || now() - Date.parse(request.created) > staleMs) await giveUp(id)
      else resume(id)
    }
    elsewhere = left
    dispatch()
  }

  function follow(id: string): void {
    const worker = files.worker(id)
    if (!worker || stateOf(worker) === 'dead') return
    going.add(id)
    const timer = setInterval(() => {
      if (stateOf(worker) === 'alive') return
      clearInterval(timer)
      going.delete(id)
      dispatch()
      look()
    }, 250)
    timer.unref()
    timers.push(timer)
  }

  async function giveUp(id: string): Promise<void> {
    const error = new ManagerError('ERR_FAILED', 'The server stopped before the operation started.', {
      help: 'Run it again.',
    })
    await files.finish(id, {
      ended: new Date(now()).toISOString(),
      answer: failureAnswerOf(error),
      progressed: notBegun,
    })
  }

  /** What the worker of a run that was killed left, or a command. */
  async function recover(): Promise<void> {
    const left = createJournal(context().registry, { clock: context().clock })
      .open()
      .filter(({ id, state, ownerState }) => {
        const isDead = state !== 'attention' && ownerState === 'dead'
        return isDead && now() - (tried.get(id) ?? 0) > againMs
      })
    if (left.length === 0) return
    for (const { id } of left) tried.set(id, now())
    await add(recoveryRequest(context()))
  }

  async function prune(): Promise<void> {
    for (const id of await files.ids()) {
      const { worker, result } = outcomeOf(files, id)
      const end = result?.ended ?? (worker === 'dead' ? files.request(id)?.created : undefined)
      if (end !== undefined && now() - Date.parse(end) > keepMs) await files.remove(id)
    }
  }
}
