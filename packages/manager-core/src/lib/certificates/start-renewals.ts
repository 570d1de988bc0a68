import { setTimeout as sleep } from 'node:timers/promises'
import type { ManagerContext } from '../context.js'
import type { Caller } from '../domain/caller.js'
import { fullGrant } from '../domain/grant.js'
import { tellAlarms } from './alarms.js'
import { renewCertificates } from './renew.js'
import { surveyCertificates } from './survey.js'

export interface RenewalsOptions {
  readonly context: ManagerContext
  /** It does not start before: hosts have to be published first. Default: at once. */
  readonly after?: Promise<void>
  /** How often it looks. Default: every minute, so that new addresses get theirs soon. */
  readonly everyMs?: number
  /** Called with what went wrong; default: not reported. */
  readonly onProblem?: (message: string) => void
}

export interface Renewals {
  /** Resolves when what is under way has ended. */
  close(): Promise<void>
}

const caller: Caller = { actor: 'server', surface: 'schedule', grant: fullGrant }
/** Mail servers that do not answer are not asked every minute. */
const alarmsEveryMs = 15 * 60_000

/** Issues and renews certificates while the server runs, when APPS_ACME=yes, and always reports those that expire. */
export function startRenewals({ context, after, everyMs = 60_000, onProblem = () => {} }: RenewalsOptions): Renewals {
  const ended = new AbortController()
  let alarmsAt = 0

  async function issue(): Promise<void> {
    if (!context.settings.global.acme) return
    const { renewals, warnings } = await renewCertificates(context, { ...caller, signal: ended.signal })
    for (const { error } of renewals) if (error !== undefined) onProblem(error)
    for (const warning of warnings) onProblem(warning)
  }

  async function tell(): Promise<void> {
    if (ended.signal.aborted || Date.now() < alarmsAt) return
    alarmsAt = Date.now() + alarmsEveryMs
    // Who holds it is at certificates, too: next time.
    const lock = context.locks.tryAcquire(['certificates'], 'alarms of certificates by the server')
    if (!lock) return
    try {
      const problem = await tellAlarms(context, surveyCertificates(context))
      if (problem !== undefined) onProblem(problem)
    } finally {
      lock.release()
    }
  }

  function report(error: unknown): void {
    if (!ended.signal.aborted) onProblem((error as Error).message)
  }

  async function watch(): Promise<void> {
    await after
    while (!ended.signal.aborted) {
      // What prevents issuing must not prevent reporting.
      for (const work of [issue, tell]) await work().catch(report)
      await sleep(everyMs, undefined, { signal: ended.signal, ref: false }).catch(() => {})
    }
  }

  const watched = watch()
  return {
    async close() {
      ended.abort()
      await watched
    },
  }
}
