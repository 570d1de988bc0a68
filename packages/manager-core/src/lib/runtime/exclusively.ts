import { join } from 'node:path'
import { accountAt } from '../accounts/account.js'
import { instanceHomeAt } from '../domain/home.js'
import { createLocks } from '../system/locks.js'
import type { InstanceRef } from './runtime.js'

/** Two processes that do this to the same instance do so one after the other. @param lock of its own for a runtime that has another one do a part */
export function exclusively<T>(
  ref: InstanceRef,
  what: 'prepare' | 'start' | 'stop',
  work: () => Promise<T>,
  signal?: AbortSignal,
  lock = 'runtime',
): Promise<T> {
  const purpose = `${what} of instance ${ref.id}, process ${process.pid}`
  // Where an instance with an account cannot hold them, nor put anything else in their place.
  const folder = accountAt(ref.folder) ? join(ref.folder, 'locks') : instanceHomeAt(ref.folder).run
  return createLocks(folder).with([lock], { purpose, waitMs: 60_000, signal }, work)
}
