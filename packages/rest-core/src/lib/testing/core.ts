import { inject } from 'vitest'

/**
 * Options of a test or group that shows the core of a contract. Runs of this repository choose by the tag; elsewhere it is not
 * defined, and all tests run.
 */
export function core(): { readonly tags?: 'core' } {
  return inject('tier' as never) ? { tags: 'core' } : {}
}
