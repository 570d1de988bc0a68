import { checkKey } from '../key.js'
import { TargetError } from '../target-error.js'
import type { CallOptions, SweepOptions } from '../target.js'
import { call, urlOf, type Api } from './api.js'

export async function remove(api: Api, key: string, options: CallOptions = {}): Promise<boolean> {
  checkKey(key)
  try {
    await removeObject(api, key, options)
    return true
  } catch (error) {
    if (TargetError.is(error) && error.code === 'ERR_TARGET_NOT_FOUND') return false
    throw error
  }
}

/** @throws TargetError ERR_TARGET_NOT_FOUND */
export async function removeObject(api: Api, key: string, { signal }: CallOptions): Promise<void> {
  await call<undefined>(api, {
    method: 'DELETE',
    url: urlOf(api, api.prefix + key),
    expected: [200, 204],
    signal,
    what: `Cannot delete "${key}"`,
  })
}

/** Nothing to do: Google forgets uploads that do not end in a week, and shows and charges nothing of them. */
export async function sweep({ signal }: SweepOptions): Promise<number> {
  signal?.throwIfAborted()
  return 0
}
