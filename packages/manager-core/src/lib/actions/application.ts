import type { Action } from './action.js'

export const applicationActions: readonly Action[] = []
