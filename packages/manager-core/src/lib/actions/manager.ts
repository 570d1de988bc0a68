import type { Action } from '../action.js'
import { configAction } from './config.js'
import { initAction } from './init.js'
import { proxyActions } from './proxy.js'
import { recoverAction } from './recover.js'
import { scheduleAction, schedulesAction } from './schedule.js'
import { serveAction } from './serve.js'
import { setupAction } from './setup.js'

export const managerActions: readonly Action[] = [
  initAction,
  setupAction,
  recoverAction,
  configAction,
  scheduleAction,
  schedulesAction,
  serveAction,
  ...proxyActions,
]
