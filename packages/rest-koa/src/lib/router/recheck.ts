import { RestError } from '@steward/rest-core/errors'
import type { Context } from 'koa'
import { cut } from '../http/pace.js'

/**
 * Asks again, between the parts of a long answer, whether its reader may still have it. If not, the client is cut, and gets
 * `false`: the rest need not be read.
 */
export type Recheck = () => boolean | Promise<boolean>

/** Not specified; chosen as events do it: withdrawn rights end within a second or so, at no cost that counts. */
export const standardRecheckMs = 1_000

/**
 * @param check rejects with a RestError of a status below 500 when the reader may no longer have the answer
 * @param everyMs how long it is believed
 */
export function createRecheck(context: Context, check: () => Promise<void>, everyMs: number): Recheck {
  let checked = performance.now()
  return () => performance.now() - checked < everyMs || again()

  async function again(): Promise<boolean> {
    try {
      await check()
    } catch (error) {
      if (!RestError.is(error) || error.status >= 500) throw error
      cut(context)
      return false
    }
    checked = performance.now()
    return true
  }
}
