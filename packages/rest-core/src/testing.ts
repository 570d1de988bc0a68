/** The contract of `ObjectStore` as tests for vitest. */
export { testObjectStore, type ObjectStoreTestOptions } from './lib/testing/test-object-store.js'
export type { StoreFactory, StoreUnderTest } from './lib/testing/store-under-test.js'
