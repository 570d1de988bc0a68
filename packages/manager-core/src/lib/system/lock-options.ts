import type { Caller } from '../domain/caller.js'
import type { LockOptions } from './locks.js'

/** Locks for a holder who does something. @param what for others to read: `export of demo/… to scp` */
export function lockOptionsOf({ actor, waitMs = 0, onEvent, signal }: Caller, what: string, now: Date): LockOptions {
  return {
    purpose: `${what} by ${actor}, process ${process.pid}, since ${now.toISOString()}`,
    waitMs,
    onWait: (lock, holder) => onEvent?.({ type: 'waiting', lock, holder }),
    signal,
  }
}
