import { expect } from 'vitest'
import { StoreError, type StoreErrorCode } from '../../errors.js'

/** Expects that the call is refused with a `StoreError` of this code. */
export async function expectStoreError(code: StoreErrorCode, call: Promise<unknown>): Promise<void> {
  const outcome: unknown = await call.then(
    (value) => ({ resolved: value }),
    (error: unknown) => error,
  )
  expectIsStoreError(code, outcome)
}

/** Expects a `StoreError` of this code, or one of these, that says something. */
export function expectIsStoreError(code: StoreErrorCode | readonly StoreErrorCode[], error: unknown, call = ''): void {
  expect(error, call).toSatisfy(StoreError.is)
  const { code: actual, message } = error as StoreError
  expect([code].flat(), `${call} ${message}`).toContain(actual)
  expect(message).not.toBe('')
}
