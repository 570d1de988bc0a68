/** Does harm when that many operations have started: bounded by their number, not by the clock. */
export interface Faults {
  /** To be called before each operation. */
  tick(): void
  /** Resolves when all of them are over. */
  ended(): Promise<void>
}

export interface Fault {
  /** Number of the operation. */
  readonly at: number
  harm(): Promise<void>
}

export function createFaults(faults: readonly Fault[]): Faults {
  let operations = 0
  let harming = Promise.resolve()
  return {
    tick() {
      operations++
      for (const { at, harm } of faults) if (at === operations) harming = harming.then(harm)
    },
    ended: () => harming,
  }
}
