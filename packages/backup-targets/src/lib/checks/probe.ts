import type { BackupTarget } from '../target.js'
import { abortedBy } from './aborted-by.js'
import type { Check } from './check.js'
import { checks } from './index.js'
import { removeAll, runCheck, type RunCheckOptions } from './run-check.js'

/** What came out of one check. */
export interface CheckReport {
  /** `an object is stored and read back` */
  readonly name: string
  readonly result: 'passed' | 'failed' | 'skipped'
  /** Why it failed or was skipped; else what was seen, or empty. */
  readonly message: string
  readonly durationMs: number
}

export interface ProbeOptions {
  /** All keys that are made begin with it; it ends with `/`. Default: `steward-check-` and eight random letters. */
  readonly prefix?: string
  /** Ends it, and the check that runs. */
  readonly signal?: AbortSignal
  /** A check that takes longer has failed; the rest is left out then. Default: 120,000 ms. */
  readonly timeoutMs?: number
}

/** What a check that was ended has left is removed afterwards, as far as that goes in this time. */
const cleaningMs = 15_000

/**
 * Tries on a real store what the contract asks for, below a prefix of its own, and removes what it made. The same checks
 * are the suite of `@steward/backup-targets/testing`. When the first one fails, the others are skipped: the store cannot
 * be used at all.
 *
 * @param open another connection to the same store
 * @throws what `open` throws the first time
 */
export async function* probeTarget(
  open: () => Promise<BackupTarget>,
  options: ProbeOptions = {},
): AsyncGenerator<CheckReport, void, undefined> {
  const { prefix = `steward-check-${crypto.randomUUID().slice(0, 8)}/`, signal, timeoutMs = 120_000 } = options
  const target = await open()
  let other: Promise<BackupTarget> | undefined
  const another = () => (other ??= open())
  let unusable: string | undefined
  let isBegun = false
  try {
    for (const check of checks) {
      signal?.throwIfAborted()
      const reason = unusable ?? check.skip?.(target.capabilities)
      if (reason !== undefined) {
        yield { name: check.name, result: 'skipped', message: reason, durationMs: 0 }
        continue
      }
      isBegun = true
      const begin = performance.now()
      const { result, message, isLate } = await outcomeOf(check, { target, another, open, prefix }, timeoutMs, signal)
      signal?.throwIfAborted()
      yield { name: check.name, result, message, durationMs: Math.round(performance.now() - begin) }
      if (result === 'failed' && check === checks[0]) unusable = 'nothing can be stored'
      if (isLate) unusable = 'it does not answer in time'
    }
  } finally {
    if (isBegun) await removeAll(abortedBy(target, AbortSignal.timeout(cleaningMs)), prefix).catch(() => {})
    await target.close().catch(() => {})
    await other?.then((each) => each.close()).catch(() => {})
  }
}

async function outcomeOf(check: Check, run: RunCheckOptions, timeoutMs: number, outer: AbortSignal | undefined) {
  const late = AbortSignal.timeout(timeoutMs)
  const signal = outer ? AbortSignal.any([outer, late]) : late
  const ended = new Promise<'ended'>((resolve) =>
    signal.addEventListener('abort', () => resolve('ended'), { once: true }),
  )
  const target = abortedBy(run.target, signal)
  const another = async () => abortedBy(await run.another(), signal)
  const open = async () => abortedBy(await run.open(), signal)
  const ran = runCheck(check, { ...run, target, another, open }).then(
    (message) => ({ result: 'passed' as const, message, isLate: false }),
    (error: unknown) => ({ result: 'failed' as const, message: describe(error), isLate: false }),
  )
  const outcome = await Promise.race([ran, ended])
  if (outcome !== 'ended' && !late.aborted) return outcome
  return { result: 'failed' as const, message: `It did not end in ${timeoutMs / 1000} s.`, isLate: true }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && code.startsWith('ERR_TARGET') ? `${code}: ${error.message}` : error.message
}
