import { afterAll, beforeAll } from 'vitest'
import type { Model } from '../model/model.js'
import type { ObjectStore } from '../store.js'

/** A store with an empty database of its own. */
export interface StoreUnderTest {
  readonly store: ObjectStore
  /** Another store on the same data; without it, tests of what a second process sees are skipped. */
  reopen?(): Promise<ObjectStore>
  /** Removes the data. Called once, after every store on it was closed. */
  dispose?(): Promise<void>
}

/** Gives a store that shares nothing with the ones given before. */
export type StoreFactory = () => Promise<ObjectStore | StoreUnderTest>

export async function open(factory: StoreFactory): Promise<StoreUnderTest> {
  const given = await factory()
  return 'store' in given ? given : { store: given }
}

/** The store of a group of tests; there from the first test on. */
export interface UsedStore {
  readonly store: ObjectStore
  /** Another store on the same data, closed at the end of the group; `undefined` when the factory gives none. */
  reopen(): Promise<ObjectStore | undefined>
}

/** Opens a store for the tests of the surrounding group, with the tables of `model`, and removes it afterwards. */
export function useStore(factory: StoreFactory, model?: Model): UsedStore {
  let opened: StoreUnderTest | undefined
  const handles: ObjectStore[] = []
  beforeAll(async () => {
    opened = await open(factory)
    handles.push(opened.store)
    if (model) await opened.store.sync(model)
  }, 60_000)
  afterAll(async () => {
    for (const handle of handles) await handle.close()
    await opened?.dispose?.()
  }, 60_000)
  return {
    get store() {
      if (!opened) throw new Error('The store is opened before the first test of the group, not earlier.')
      return opened.store
    },
    async reopen() {
      const handle = await opened?.reopen?.()
      if (handle) handles.push(handle)
      return handle
    },
  }
}

let sequence = 0

/** A text that no other test uses. */
export function unique(prefix: string): string {
  sequence += 1
  return `${prefix}-${sequence}`
}
