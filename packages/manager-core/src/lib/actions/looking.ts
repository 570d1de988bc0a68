import type { Action } from './action.js'

export const lookingActions: readonly Action[] = []
