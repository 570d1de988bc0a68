import type { Caller } from '../caller.js'
import type { Principal } from '../rights/rights.js'

/** Whose request it is, and whether an answer is still awaited. */
export function callerOf({ userId, login }: Principal, { signal }: Pick<Caller, 'signal'> = {}): Caller {
  return { user: userId || login, signal }
}
