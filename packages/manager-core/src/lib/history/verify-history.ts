import { setImmediate } from 'node:timers/promises'
import { chainHash } from '../store/history-chain.js'
import { historyRowsAfter, lastHistoryId } from '../store/history-rows.js'
import type { Queryable } from '../store/registry.js'

/** What is wrong from an entry on. */
export interface HistoryFault {
  readonly id: number
  readonly problem: string
}

export interface HistoryReport {
  /** Entries that were looked at. */
  readonly entries: number
  /** Those that are older than the hashes: nothing proves them. */
  readonly unsealed: number
  /** `<id>:<hash>` of the newest one: kept elsewhere, it proves all up to it. Empty: there is none. */
  readonly head: string
  /** The first ones. */
  readonly faults: readonly HistoryFault[]
}

/** More of them say nothing more. */
const mostFaults = 20
/** After that many entries others have their turn. */
const atOnce = 5000

/**
 * Computes the hashes of the history again.
 *
 * @param expected a `head` that was kept elsewhere: who can write the registry can also compute all hashes again, but
 *   not to this one
 */
export async function verifyHistory(registry: Queryable, expected?: string): Promise<HistoryReport> {
  const faults: HistoryFault[] = []
  const fault = (id: number, problem: string) => void faults.push({ id, problem })
  const [, expectedId = '', expectedHash = ''] = /^(\d+):([0-9a-f]{64})$/.exec(expected ?? '') ?? []
  let entries = 0
  let unsealed = 0
  let before = { id: 0, hash: '' }
  // Looked at first: others write meanwhile.
  const last = lastHistoryId(registry)
  for (;;) {
    const rows = historyRowsAfter(registry, before.id, atOnce)
    for (const row of rows) {
      const { id, hash } = row as { readonly id: number; readonly hash: string }
      entries++
      if (id !== before.id + 1) fault(id, `Missing: ${rangeOf(before.id + 1, id - 1)}.`)
      else if (hash === '' && before.hash !== '') fault(id, 'Its hash was removed.')
      else if (hash !== '' && hash !== chainHash(before.hash, row)) fault(id, 'The entry or its hash was changed.')
      if (String(id) === expectedId && hash !== expectedHash) fault(id, 'It is not the expected entry.')
      if (hash === '') unsealed++
      before = { id, hash }
    }
    if (rows.length < atOnce) break
    await setImmediate()
  }
  if (last > before.id) fault(last, `Missing: ${rangeOf(before.id + 1, last)}.`)
  else if (Number(expectedId) > before.id) fault(Number(expectedId), 'The expected entry is missing.')
  const head = before.hash === '' ? '' : `${before.id}:${before.hash}`
  return { entries, unsealed, head, faults: faults.slice(0, mostFaults) }
}

function rangeOf(from: number, to: number): string {
  return from === to ? `entry ${from}` : `entries ${from} to ${to}`
}
