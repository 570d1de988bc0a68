import type { Action } from './action.js'
import { configAction } from './config.js'
import { initAction } from './init.js'

export const managerActions: readonly Action[] = [initAction, configAction]
