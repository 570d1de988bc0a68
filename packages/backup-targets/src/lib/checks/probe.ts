import type { BackupTarget } from '../target.js'
import type { Check } from './check.js'
import { checks } from './index.js'
import { runCheck } from './run-check.js'

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
  /** Of all keys that are made, with `/` at its end. Default: `steward-check-` and eight random letters. */
  readonly prefix?: string
  /** Ends it after the check that runs. */
  readonly signal?: AbortSignal
  /** A check that takes longer has failed; the rest is left out then. Default: 120,000 ms. */
  readonly timeoutMs?: number
}

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
  let unusable: string | undefined
  try {
    for (const check of checks) {
      signal?.throwIfAborted()
      const reason = unusable ?? check.skip?.(target.capabilities)
      if (reason !== undefined) {
        yield { name: check.name, result: 'skipped', message: reason, durationMs: 0 }
        continue
      }
      const begin = performance.now()
      const { result, message, isLate } = await outcomeOf(check, { target, open, prefix }, timeoutMs)
      yield { name: check.name, result, message, durationMs: Math.round(performance.now() - begin) }
      if (result === 'failed' && check === checks[0]) unusable = 'nothing can be stored'
      if (isLate) unusable = 'it does not answer in time'
    }
  } finally {
    await target.close().catch(() => {})
  }
}

async function outcomeOf(check: Check, run: Parameters<typeof runCheck>[1], timeoutMs: number) {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>((resolve) => (timer = setTimeout(resolve, timeoutMs, 'late')))
  const ran = runCheck(check, run).then(
    (message) => ({ result: 'passed' as const, message }),
    (error: unknown) => ({ result: 'failed' as const, message: describe(error) }),
  )
  const outcome = await Promise.race([ran, late])
  clearTimeout(timer)
  if (outcome === 'late')
    return { result: 'failed' as const, message: `It did not end in ${timeoutMs / 1000} s.`, isLate: true }
  return { ...outcome, isLate: false }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && code.startsWith('ERR_TARGET') ? `${code}: ${error.message}` : error.message
}
