import type { Action } from './action.js'

export const lifecycleActions: readonly Action[] = []
