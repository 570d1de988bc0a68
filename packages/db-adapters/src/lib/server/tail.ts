/** Longer than what programs write after their trailer. */
const tailBytes = 512

/** Remembers the last bytes of a dump. */
export interface Tail {
  add(chunk: Buffer): void
  /** Whether the trailer stands in them. */
  isComplete(): boolean
}

/**
 * Watches the end of a dump, by which a complete one is known.
 *
 * @param trailer stands in the last 512 bytes of a complete dump
 */
export function createTail(trailer: string): Tail {
  let tail = Buffer.alloc(0)
  return {
    add(chunk) {
      tail = Buffer.concat([tail, chunk.subarray(-tailBytes)]).subarray(-tailBytes)
    },
    isComplete: () => tail.includes(trailer),
  }
}
