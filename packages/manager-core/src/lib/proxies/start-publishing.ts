import type { ManagerContext } from '../context.js'
import type { Caller } from '../domain/caller.js'
import { fullGrant } from '../domain/grant.js'
import { failureOf } from '../system/failure.js'

export interface PublishingOptions {
  readonly context: Pick<ManagerContext, 'proxies'>
  /** Where the server of the manager listens: `address:port`. */
  readonly manager: string
  /** Called when something cannot be published, once per problem. */
  readonly onProblem: (message: string) => void
  /** Default: 5 minutes. */
  readonly intervalMs?: number
}

/** Publication while the server runs. */
export interface Publishing {
  /** Resolves when it was tried once. */
  readonly begun: Promise<void>
  /** Ends it when what has started is done. */
  close(): Promise<void>
}

const caller: Caller = { actor: 'manager', surface: 'api', grant: fullGrant }

/** Publishes now and then at intervals, which repairs manual changes and failures. */
export function startPublishing({ context, manager, onProblem, intervalMs = 300_000 }: PublishingOptions): Publishing {
  let told = ''
  let isFirst = true
  let working = Promise.resolve()
  const publish = async () => {
    const retry = isFirst
    isFirst = false
    let problem = ''
    try {
      const { warnings } = await context.proxies.publish(caller, { manager, repair: true, retry })
      problem = warnings.join('\n')
    } catch (error) {
      problem = failureOf(error).message
    }
    if (problem !== '' && problem !== told) onProblem(problem)
    told = problem
  }
  const next = () => (working = working.then(publish))
  const begun = next()
  const timer = setInterval(next, intervalMs).unref()
  return {
    begun,
    async close() {
      clearInterval(timer)
      await working
    },
  }
}
