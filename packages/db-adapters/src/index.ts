export { createStore } from './lib/create-store.js'
export type { StoreOptions } from './lib/create-store.js'
