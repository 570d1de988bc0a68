import type { Action } from './action.js'

export const managerActions: readonly Action[] = []
