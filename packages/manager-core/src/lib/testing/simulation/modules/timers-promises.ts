// Stands in for `node:timers/promises`: simulated time, which passes when nothing else is to be done.
import { pause } from '../machine.js'

export async function setTimeout<T>(ms = 0, value?: T, { signal }: { signal?: AbortSignal } = {}): Promise<T> {
  try {
    await pause(Math.max(1, ms), signal)
  } catch {
    throw Object.assign(new Error('The operation was aborted'), { code: 'ABORT_ERR', name: 'AbortError' })
  }
  return value as T
}

export async function setImmediate<T>(value?: T): Promise<T> {
  await pause(0)
  return value as T
}
