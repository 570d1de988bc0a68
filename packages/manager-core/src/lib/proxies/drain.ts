import { setTimeout as sleep } from 'node:timers/promises'
import { stateOf } from '../system/process-identity.js'
import { readState } from './proxy-state.js'

export interface DrainOptions {
  /** In ms. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Waits until the worker processes from before the last reload have ended: no request goes to where they sent it any more.
 *
 * @returns false when the time was over: long downloads, streams and WebSockets keep them
 */
export async function drained(folder: string, { timeoutMs, signal }: DrainOptions): Promise<boolean> {
  const begin = performance.now()
  const { retiring } = readState(folder)
  for (let pause = 10; ; pause = Math.min(pause * 1.3, 250)) {
    if (retiring.every((one) => stateOf(one) === 'dead')) return true
    if (performance.now() - begin >= timeoutMs) return false
    await sleep(pause, undefined, { signal })
  }
}
