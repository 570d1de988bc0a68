import { createStore } from '@steward/page-kit'

/** Whether the dialog that makes an instance is open; a key opens it from every view. */
export const creating = createStore(false)
