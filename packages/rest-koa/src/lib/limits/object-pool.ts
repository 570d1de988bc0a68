import type { Principal } from '@steward/rest-core'
import type { SystemParameters } from '@steward/rest-core/system'
import type { Context } from 'koa'
import { clientGone } from '../http/client-gone.js'
import { FairQueue } from './fair-queue.js'

export interface ObjectPoolOptions {
  /** Says whether there is a pool, and how large it is; asked on every call. */
  readonly parameters: SystemParameters
  /** Calls of all users that run at once. Default 200. */
  readonly maxRunning?: number
  /** Calls of one user that wait, beyond which there is 503. Default 100. */
  readonly maxWaitingPerUser?: number
  /** How long a call waits until it gets 503, in ms. Default 10,000. */
  readonly waitMs?: number
}

/**
 * Limits how many calls of a user run at once, when the system parameters say so. Source: docs/spec/rest-service.md,
 * "Limits".
 */
export interface ObjectPool {
  /**
   * Does the work of a call on an object when there is a place for it, and keeps the place until the work is done.
   *
   * @throws RestError ERR_UNAVAILABLE
   */
  run(context: Context, principal: Principal, object: string, work: () => Promise<void>): Promise<void>
}

/** Not specified; chosen so that one user can keep a few connections to the database busy, and not all of them. */
const limits = {
  perObject: { default: 10, min: 1, max: 1000 },
  total: { default: 50, min: 1, max: 10_000 },
} as const

/** Reads its limits from the system parameters `WEBSERVICES_OBJECTPOOL_…` at each call, so that changes apply immediately. */
export function createObjectPool(options: ObjectPoolOptions): ObjectPool {
  const { parameters, maxRunning = 200, maxWaitingPerUser = 100, waitMs = 10_000 } = options
  const queue = new FairQueue({ maxRunning, maxWaitingPerUser, waitMs })
  return {
    async run(context, { userId, login }, object, work) {
      if (!(await parameters.isYes('USE_WEBSERVICES_OBJECTPOOL', false))) return work()
      const gone = clientGone(context)
      const [perObject, total] = await Promise.all([
        parameters.number('WEBSERVICES_OBJECTPOOL_MAXPEROBJECT', limits.perObject),
        parameters.number('WEBSERVICES_OBJECTPOOL_MAXTOTAL', limits.total),
      ])
      const release = await queue.enter(userId || login, object, { perObject, total }, gone)
      try {
        await work()
      } finally {
        release()
      }
    },
  }
}
