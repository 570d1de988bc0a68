import { createStore } from './store.js'

/** The name of all of it, in every language. */
export const productName = 'Steward'

/** What titles of windows end with: the name of the application. */
export const product = createStore('')
