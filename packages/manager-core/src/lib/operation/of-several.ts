import type { Caller } from '../domain/caller.js'

/** For one of several operations of an action: none of them is the one whose id the caller gave away. */
export function ofSeveral(caller: Caller): Caller {
  const { operation: _, ...rest } = caller
  return rest
}
