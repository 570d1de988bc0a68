import type { ManagerContext } from '../context.js'
import type { Caller } from '../domain/caller.js'
import { recordHistory } from '../history/record-history.js'
import { lockOptionsOf } from '../system/lock-options.js'
import { drained } from './drain.js'
import { notRunning, type Problem } from './problem.js'
import type { Proxies } from './proxies.js'
import { readState } from './proxy-state.js'
import { createPublisher, type Publisher } from './publisher.js'

export interface ProxiesOptions {
  /** How long the program may take to come with a new configuration. Default: 60 s. */
  readonly takeOverMs?: number
}

/** Others publish meanwhile: least time to wait for them, in ms. */
const leastWaitMs = 120_000

export function createProxies(context: () => ManagerContext, { takeOverMs = 60_000 }: ProxiesOptions = {}): Proxies {
  const settings = () => context().settings.global.proxy

  return {
    async publish(caller, options = {}) {
      if (!settings().enabled) return { state: 'off', warnings: [] }
      return alone(caller, async (publisher) => {
        const { state, news } = await publisher.publish(options)
        for (const problem of news) await record(caller, problem)
        return { state, warnings: news.map(({ message }) => message) }
      })
    },
    async drained(options) {
      const { enabled, folder } = settings()
      return !enabled || drained(folder, options)
    },
    check: (caller) => alone(caller, (publisher) => publisher.check()),
    async status() {
      const { enabled, type, folder } = settings()
      const { generation, published, problems: noted, failure, waker, sleepers, open, closed } = readState(folder)
      const others = noted.filter((problem) => !isStopped(problem))
      const running = !enabled || generation === '' || (await isRunning())
      return {
        enabled,
        type,
        generation,
        published,
        running,
        problems: running ? others : [...others, notRunning(type)],
        waker,
        sleepers,
        open,
        closed,
        failure,
      }
    },
  }

  async function alone<T>(caller: Caller, work: (publisher: Publisher) => Promise<T>): Promise<T> {
    const { locks, clock } = context()
    const waitMs = Math.max(leastWaitMs, caller.waitMs ?? 0)
    const options = lockOptionsOf({ ...caller, waitMs }, 'publication', clock())
    return locks.with(['proxy'], options, () => work(createPublisher(context(), takeOverMs)))
  }

  /** When it cannot be found out, that is not reported as stopped. */
  async function isRunning(): Promise<boolean> {
    try {
      return await createPublisher(context(), takeOverMs).isRunning()
    } catch {
      return true
    }
  }

  /** Changes by the operator are reported in the history of the instance. */
  async function record(caller: Caller, { kind, instance, message }: Problem): Promise<void> {
    if (kind !== 'snippet' || !instance) return
    const failed = () => ({ message, exitCode: 1 as const })
    await recordHistory(context(), caller, { action: 'proxy publish', instance }, failed)
  }
}

/** That the program did not run when something was published. */
function isStopped({ kind, host }: Problem): boolean {
  return kind === 'probe' && host === undefined
}
