import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import {
  fullGrant,
  isIdle,
  isThrowAway,
  ownerOfPort,
  refOf,
  sleepAfterMs,
  type Instance,
  type Manager,
} from '@steward/manager-core'
import pLimit from 'p-limit'
import { createWaker, type Waker } from './create-waker.js'

export interface SleepingOptions {
  readonly manager: Manager
  /** Folder for its socket. Undefined: it listens on a port of 127.0.0.1. */
  readonly folder?: string | undefined
  /** It does not start before. */
  readonly after: Promise<void>
  readonly onProblem: (message: string) => void
}

export interface Sleeping {
  /** Resolves when what is under way has ended. */
  close(): Promise<void>
}

/** Longest interval between looks for idle instances, in ms. */
const roundMs = 5000
/** The same while none is to sleep. */
const quietMs = 30_000
/** One machine starts and stops that many at the same time. */
const atOnce = 4
/** How long an instance that did not wake is left alone, in ms: twice as long each time. */
const firstRestMs = 5000
const longestRestMs = 300_000

interface Failure {
  readonly until: number
  readonly restMs: number
}

/**
 * Puts instances without requests to sleep, as APPS_SLEEP_AFTER says, and wakes them at the next request. Of several
 * servers of one home one does; another one takes over when it ends. Nothing runs and no port is open before an instance is
 * to sleep.
 */
export function startSleeping({ manager, folder, after, onProblem }: SleepingOptions): Sleeping {
  const { context } = manager
  const { registry, settings, locks, proxies } = context
  const ended = new AbortController()
  const { signal } = ended
  const caller = { actor: 'manager', surface: 'api', grant: fullGrant } as const
  const wakes = pLimit(atOnce)
  const falls = pLimit(atOnce)
  const falling = new Set<string>()
  const waking = new Map<string, Promise<void>>()
  const failures = new Map<string, Failure>()
  const told = new Set<string>()
  /** Since when requests for an instance pass the waker, by its id. */
  const since = new Map<string, number>()
  const running = new Set<Promise<unknown>>()
  let recovering: Promise<void> | undefined
  let waker: Waker | undefined
  let address = ''
  let asked = ''

  const done = run()
  return {
    async close() {
      ended.abort()
      await done
    },
  }

  async function run(): Promise<void> {
    await after
    const rest = (ms: number) => pause(ms, undefined, { signal, ref: false }).catch(() => undefined)
    for (; !signal.aborted; await rest(roundMs)) {
      try {
        const lock = locks.tryAcquire(['sleeping'], `waking instances, process ${process.pid}`)
        if (lock) await roundsUnder(lock, rest)
      } catch (error) {
        tell(error)
      }
    }
  }

  async function roundsUnder(lock: { release(): void }, rest: (ms: number) => Promise<void>): Promise<void> {
    try {
      while (!signal.aborted) await rest(await round().catch(tell))
      await waker?.close()
      await Promise.allSettled(running)
    } finally {
      lock.release()
    }
  }

  /** The same problem is reported once. */
  function tell(error: unknown): number {
    const { message } = error as Error
    if (!signal.aborted && !told.has(message)) onProblem(message)
    told.add(message)
    return roundMs
  }

  /** @returns when the next one comes, in ms */
  async function round(): Promise<number> {
    if (!settings.global.proxy.enabled && asked === '') return quietMs
    const wanted = new Map<string, { readonly instance: Instance; readonly ms: number }>()
    for (const instance of registry.instances()) {
      if (instance.desired !== 'started' || isThrowAway(instance)) continue
      const ms = await sleepAfterMs(context, instance).catch(() => 0)
      if (ms > 0 || instance.observed === 'asleep') wanted.set(instance.id, { instance, ms })
    }
    for (const id of since.keys()) if (!wanted.has(id)) since.delete(id)
    if (wanted.size === 0 && asked === '') return settings.global.sleepAfterMs > 0 ? roundMs : quietMs
    await publish([...wanted.keys()])
    const { sleepers, failure } = await proxies.status()
    const published = new Set(failure === '' ? sleepers : [])
    const now = performance.now()
    for (const [id, { instance, ms }] of wanted) {
      if (instance.observed === 'asleep') {
        since.delete(id)
        // Nothing would wake it.
        if (ms === 0) keep(wake(id))
      } else if (!published.has(id)) since.delete(id)
      else if (!since.has(id)) since.set(id, now)
      else if (!falling.has(id) && isForgotten(instance, ms, now)) {
        falling.add(id)
        keep(falls(() => fallAsleep(instance)).finally(() => falling.delete(id)))
      }
    }
    return Math.min(roundMs, ...[...wanted.values()].flatMap(({ ms }) => (ms > 0 ? [Math.max(200, ms / 4)] : [])))
  }

  /** What goes wrong is reported, and the server does not end before that. */
  function keep(work: Promise<unknown>): void {
    const noted = work.catch(tell).finally(() => running.delete(noted))
    running.add(noted)
  }

  /** Requests pass the waker from then on. */
  async function publish(ids: readonly string[]): Promise<void> {
    const { waker: last } = await proxies.status()
    if (!waker) {
      waker = createWaker({ look, wake, recover, patienceMs: () => settings.global.startTimeoutMs })
      const port = last?.socket === undefined ? last?.port : undefined
      address = await waker.listen(folder === undefined ? port : join(folder, 'waker.sock'))
    }
    const asks = [address, ...ids.toSorted()].join(' ')
    if (asks === asked) return
    await proxies.publish(caller, { waker: address })
    asked = asks
  }

  function isForgotten({ id, observed, operation }: Instance, ms: number, now: number): boolean {
    if (observed !== 'started' || operation !== '' || !waker || waker.isUsed(id)) return false
    return now - Math.max(since.get(id) ?? now, waker.idleSince(id) ?? 0) >= ms
  }

  async function fallAsleep(instance: Instance): Promise<void> {
    const { id, name } = instance
    if (signal.aborted || waking.has(id) || !(await isIdle(context, instance))) return
    // A request that comes now waits until it sleeps, and wakes it.
    const release = waker?.hold(id)
    if (!release) return
    try {
      await manager.perform('sleep', { name }, caller)
    } catch (error) {
      if ((error as { code?: string }).code !== 'ERR_BUSY') throw error
    } finally {
      since.delete(id)
      release()
    }
  }

  function look(id: string) {
    const found = registry.byId(id)
    if (found?.desired !== 'started') return undefined
    const { port, observed, operation } = found
    const owner = ownerOfPort(context.runtimes, refOf(context, found))
    return { port, owner, asleep: observed === 'asleep', changing: operation !== '' }
  }

  /** Once for all who wait for it; resolves when it answers. */
  function wake(id: string): Promise<void> {
    const known = waking.get(id)
    if (known) return known
    const failure = failures.get(id)
    if (failure && performance.now() < failure.until) return Promise.reject(new Error('It did not wake just now.'))
    const woken = wakes(() => wakeNow(id))
    waking.set(id, woken)
    keep(woken.finally(() => waking.delete(id)))
    return woken
  }

  /** Once for all who wait for it. */
  function recover(): Promise<void> {
    return (recovering ??= recoverNow().finally(() => (recovering = undefined)))
  }

  async function recoverNow(): Promise<void> {
    const ended = await context.operations.recover(caller)
    if (ended.length > 0) await proxies.publish(caller)
  }

  async function wakeNow(id: string): Promise<void> {
    const instance = registry.byId(id)
    if (!instance) return
    const state = { ended: false }
    const work = manager
      .perform('wake', { name: instance.name }, { ...caller, signal, waitMs: settings.global.startTimeoutMs })
      .finally(() => (state.ended = true))
    work.catch(() => {})
    const answers = async () => {
      // It answers before its operation has ended.
      while (!state.ended && registry.byId(id)?.observed !== 'started') await pause(20, undefined, { ref: false })
      await (state.ended ? work : undefined)
    }
    try {
      await answers()
      failures.delete(id)
      keep(work)
    } catch (error) {
      const { code } = error as { code?: string }
      const restMs = Math.min(longestRestMs, (failures.get(id)?.restMs ?? firstRestMs / 2) * 2)
      if (code !== 'ERR_BUSY') failures.set(id, { until: performance.now() + restMs, restMs })
      throw error
    }
  }
}
