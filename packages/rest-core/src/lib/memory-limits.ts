import { getHeapStatistics } from 'node:v8'

/** How much memory may be taken, in bytes. */
export interface MemoryLimits {
  /** All answers and bodies of the process at the same time. */
  readonly total: number
  /** Those of one user. */
  readonly perUser: number
  /** One answer that is not sent row by row: a page, a batch, a record. */
  readonly answer: number
  /** Rows that a store gives at the same time, unless a single one has more. */
  readonly batch: number
}

const kib = 2 ** 10
const mib = 2 ** 20

/**
 * Limits that fit a heap: a quarter of it for all, a quarter of that for one user, at most half of that, and 64 MiB, for an
 * answer. Not specified; chosen because values, their JSON and what is sent of it are in memory together.
 *
 * @param heapBytes Default: what this process may have (`--max-old-space-size`).
 */
export function memoryLimits(heapBytes: number = heapOfProcess()): MemoryLimits {
  const total = Math.floor(heapBytes / 4)
  const perUser = Math.floor(total / 4)
  return {
    total,
    perUser,
    answer: Math.min(64 * mib, Math.floor(perUser / 2)),
    batch: Math.min(4 * mib, Math.max(256 * kib, Math.floor(heapBytes / 512))),
  }
}

/** What values that live for longer may take. */
function heapOfProcess(): number {
  const { heap_size_limit: limit } = getHeapStatistics()
  // Most of what is reported in a small heap is for new values.
  return Math.max(limit - 192 * mib, limit / 2)
}

/** Most bytes of a batch of rows, unless a single one has more. */
export const batchBytes: number = memoryLimits().batch

/**
 * About how many bytes a value takes in memory: those of its texts and contents, and a little for everything else. Stops
 * counting beyond `most`.
 */
export function sizeOf(value: unknown, most = Infinity): number {
  if (typeof value === 'string') return value.length + smallBytes
  if (typeof value !== 'object' || value === null) return smallBytes
  if (ArrayBuffer.isView(value)) return value.byteLength + smallBytes
  let bytes = smallBytes
  const values: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
  for (const one of values) {
    if (typeof one === 'string') bytes += one.length + smallBytes
    else if (typeof one === 'object' && one !== null) bytes += sizeOf(one, most - bytes)
    else bytes += smallBytes
    if (bytes > most) break
  }
  return bytes
}

const smallBytes = 16

/** How many of the first rows are a batch: at least one, up to `most`, and up to `bytes`. */
export function rowsOfBatch(rows: readonly unknown[], most: number, bytes: number = batchBytes): number {
  const end = Math.min(rows.length, most)
  let left = bytes
  for (let count = 0; count < end; count++) {
    left -= sizeOf(rows[count])
    if (left < 0) return Math.max(1, count)
  }
  return end
}
