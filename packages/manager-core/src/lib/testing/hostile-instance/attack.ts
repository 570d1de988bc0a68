/**
 * What hostile code of an instance does. All of it runs as the account of the instance, in the instance's folder, with
 * the variables of `placeOf` (canaries.ts): `$SECRET`, `$VICTIM`, `$OTHER`, `$CONFIG`, `$MARKS`, `$PORT`, `$OTHER_PORT`, `$NEIGHBOUR_PORT`.
 */
export interface Attack {
  readonly name: string
  /**
   * Attacks of one group are there at the same time. Those that need the same file, or that make operations refuse the
   * instance, so that nothing else would be tried, have other groups.
   */
  readonly group: string
  /** Commands of the shell. They run before each operation, also when an earlier operation has left them in place. */
  readonly plant?: string
  /** Code of Node for the time of an operation, see `run-as.ts` for what it may call. */
  readonly during?: {
    /** Runs first, once. */
    readonly once?: string
    /** Runs again and again. */
    readonly turn?: string
    /** Without a pause between two turns. */
    readonly restless?: true
  }
}

/** Attacks of one group. */
export function groupOf(group: string, attacks: readonly Omit<Attack, 'group'>[]): readonly Attack[] {
  return attacks.map((attack) => ({ ...attack, group }))
}
