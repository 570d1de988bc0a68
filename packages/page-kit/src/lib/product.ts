import { createStore } from './store.js'

/** What titles of windows end with: the name of the application. */
export const product = createStore('')
