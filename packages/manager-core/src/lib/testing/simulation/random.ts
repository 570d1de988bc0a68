/** Numbers that follow from a seed (mulberry32). */
export interface Random {
  /** 0 to below `count`. */
  below(count: number): number
  chance(probability: number): boolean
  pick<T>(choices: readonly T[]): T
  bytes(count: number): Buffer
}

/** @param get,set where the state is kept: a 32-bit number */
export function createRandom(get: () => number, set: (state: number) => void): Random {
  function next(): number {
    const state = (get() + 0x6d2b79f5) | 0
    set(state)
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const below = (count: number) => Math.floor((next() / 2 ** 32) * count)
  return {
    below,
    chance: (probability) => next() / 2 ** 32 < probability,
    pick: <T>(choices: readonly T[]) => choices[below(choices.length)] as T,
    bytes: (count) => Buffer.from(Array.from({ length: count }, () => below(256))),
  }
}

export function randomOf(seed: number): Random {
  let state = seed
  return createRandom(
    () => state,
    (next) => (state = next),
  )
}
