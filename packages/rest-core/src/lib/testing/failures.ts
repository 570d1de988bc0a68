import { expect } from 'vitest'
import { StoreError, type StoreErrorCode } from '../../errors.js'

/** Expects that the call is refused with a `StoreError` of this code, which says something. */
export async function expectStoreError(code: StoreErrorCode, call: Promise<unknown>): Promise<void> {
  const outcome = await call.then(
    (value) => ({ resolved: value }),
    (error: unknown) => error,
  )
  expect(outcome).toBeInstanceOf(StoreError)
  const error = outcome as StoreError
  expect(error.code, error.message).toBe(code)
  expect(error.message).not.toBe('')
}
