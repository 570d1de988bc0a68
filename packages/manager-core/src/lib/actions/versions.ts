import type { Action } from './action.js'

export const versionActions: readonly Action[] = []
