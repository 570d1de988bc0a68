import type { Action } from './action.js'

export const flagActions: readonly Action[] = []
