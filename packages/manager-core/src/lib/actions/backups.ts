import type { Action } from './action.js'

export const backupActions: readonly Action[] = []
