/** Repeatable random choices. */
export interface Random {
  /** A whole number from 0 to `count - 1`. */
  below(count: number): number
  /** True once in `times` calls, on average. */
  oneIn(times: number): boolean
  /** One of the list, which must not be empty. */
  pick<T>(list: readonly T[]): T
}

/** The same seed gives the same choices, on every machine. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  // mulberry32: 32 bits of state are plenty for picking test cases.
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const below = (count: number): number => next() % count
  return {
    below,
    oneIn: (times) => below(times) === 0,
    pick: <T>(list: readonly T[]) => list[below(list.length)] as T,
  }
}
