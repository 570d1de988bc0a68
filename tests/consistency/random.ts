/** Numbers that are the same for the same seed. */
export interface Random {
  readonly seed: number
  /** A whole number from 0 to `most` - 1. */
  below(most: number): number
}

/** @param seed Default: `TEST_SEED`, else another one each time. */
export function createRandom(seed = Number(process.env['TEST_SEED'] ?? Date.now() % 2 ** 31)): Random {
  let state = seed
  return {
    seed,
    // mulberry32
    below(most) {
      state = (state + 0x6d2b79f5) | 0
      let t = Math.imul(state ^ (state >>> 15), 1 | state)
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
      return ((t ^ (t >>> 14)) >>> 0) % most
    },
  }
}
