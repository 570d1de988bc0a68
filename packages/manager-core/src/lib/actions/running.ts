import type { Action } from './action.js'

export const runningActions: readonly Action[] = []
