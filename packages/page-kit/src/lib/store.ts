import { useEffect, useState } from 'preact/hooks'

/** A value that several parts of the page look at. */
export interface Store<T> {
  get(): T
  set(value: T): void
  /** @returns ends it */
  subscribe(listener: () => void): () => void
}

export function createStore<T>(initial: T): Store<T> {
  const listeners = new Set<() => void>()
  let value = initial
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return
      value = next
      for (const listener of [...listeners]) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** The value now; the component is drawn again when there is another one. */
export function useStore<T>(store: Store<T>): T {
  const [, draw] = useState(0)
  useEffect(() => {
    draw((turn) => turn + 1)
    return store.subscribe(() => draw((turn) => turn + 1))
  }, [store])
  return store.get()
}
