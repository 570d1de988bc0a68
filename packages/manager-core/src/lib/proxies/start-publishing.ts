import type { ManagerContext } from '../context.js'
import type { Caller } from '../domain/caller.js'
import { fullGrant } from '../domain/grant.js'
import { isThrowAway } from '../domain/instance.js'
import { reaches } from '../runtime/reach.js'
import { failureOf } from '../system/failure.js'

export interface PublishingOptions {
  readonly context: Pick<ManagerContext, 'proxies' | 'settings' | 'registry' | 'runtimes' | 'home'>
  /** Where the server of the manager listens: `address:port`, or `unix:` and a path. */
  readonly manager: string
  /** Called when something cannot be published, once per problem. */
  readonly onProblem: (message: string) => void
  /** Default: 5 minutes. */
  readonly intervalMs?: number
  /** How often it is looked which instances listen at their ports. Default: 5 s. */
  readonly lookMs?: number
}

/** Publication while the server runs. */
export interface Publishing {
  /** Resolves when it was tried once. */
  readonly begun: Promise<void>
  /** Ends it when what has started is done. */
  close(): Promise<void>
}

const caller: Caller = { actor: 'manager', surface: 'api', grant: fullGrant }

/** An instance whose port comes and goes has the proxy reloaded less and less often: longest pause, in ms. */
const longestPauseMs = 300_000
/** One that stays this long starts again with short pauses, in ms. */
const settledMs = 900_000

/**
 * Publishes now and then at intervals, which repairs manual changes and failures; and when an instance started or stopped
 * listening at its port without a command, as after a crash: another user may have taken it since.
 */
export function startPublishing({
  context,
  manager,
  onProblem,
  intervalMs = 300_000,
  lookMs = 5000,
}: PublishingOptions): Publishing {
  let told = ''
  let isFirst = true
  let working = Promise.resolve()
  let isFailing = false
  let isLooking = false
  const pauses = createPauses(lookMs)
  const publish = async () => {
    const retry = isFirst
    isFirst = false
    let problem = ''
    try {
      const { warnings } = await context.proxies.publish(caller, { manager, repair: true, retry })
      problem = warnings.join('\n')
      isFailing = false
    } catch (error) {
      problem = failureOf(error).message
      isFailing = true
    }
    report(problem)
  }
  const report = (problem: string) => {
    if (problem !== '' && problem !== told) onProblem(problem)
    told = problem
  }
  const next = () => (working = working.then(publish))
  const begun = next()
  const timer = setInterval(next, intervalMs).unref()
  const look = async () => {
    try {
      // It is tried again at the next interval.
      if (isFailing || !context.settings.global.proxy.enabled) return
      const { open, closed: waiting } = await context.proxies.status()
      const now = openInstances(context)
      const closed = open.filter((id) => !now.has(id))
      const opened = waiting.filter((id) => now.has(id) && pauses.isOver(id))
      for (const id of closed) pauses.start(id)
      if (closed.length + opened.length > 0) await publish()
    } catch (error) {
      report(failureOf(error).message)
    } finally {
      isLooking = false
    }
  }
  const looking = setInterval(() => {
    if (isLooking) return
    isLooking = true
    working = working.then(look)
  }, lookMs).unref()
  return {
    begun,
    async close() {
      clearInterval(timer)
      clearInterval(looking)
      await working
    },
  }
}

/** Ids of the instances that requests are passed on to. */
function openInstances({
  registry,
  home,
  runtimes,
}: Pick<ManagerContext, 'registry' | 'home' | 'runtimes'>): ReadonlySet<string> {
  const instances = registry.instances().filter((one) => !isThrowAway(one))
  const found = reaches({ home, runtimes }, instances)
  return new Set([...found].flatMap(([id, { listens }]) => (listens === 'own' ? [id] : [])))
}

/** How long the publication of one waits that has come and gone: twice as long each time. */
function createPauses(firstMs: number) {
  const pauses = new Map<string, { readonly from: number; readonly ms: number }>()
  return {
    start(id: string) {
      const now = performance.now()
      const before = pauses.get(id)
      const isSettled = !before || now - before.from > before.ms + settledMs
      pauses.set(id, { from: now, ms: isSettled ? 0 : Math.min(longestPauseMs, Math.max(firstMs, before.ms * 2)) })
    },
    isOver(id: string) {
      const pause = pauses.get(id)
      return !pause || performance.now() - pause.from >= pause.ms
    },
  }
}
