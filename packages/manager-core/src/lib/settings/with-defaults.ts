import { AsyncLocalStorage } from 'node:async_hooks'

const storage = new AsyncLocalStorage<boolean>()

/**
 * Does work that only looks, or that must come to its end: a global setting that cannot be used is replaced by its default
 * there, where other work that needs it is refused.
 */
export function withDefaults<T>(work: () => T): T {
  return storage.run(true, work)
}

/** Does work, within such work, that changes something again. */
export function withoutDefaults<T>(work: () => T): T {
  return storage.run(false, work)
}

export function isWithDefaults(): boolean {
  return storage.getStore() === true
}
