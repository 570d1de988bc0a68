import { StoreError } from '@steward/rest-core/errors'

/** What a transaction gets when it continues after a statement that failed. */
export function afterFailure(failure: StoreError): StoreError {
  return new StoreError(
    failure.code,
    `The transaction is undone, because a statement in it failed: ${failure.message}`,
    {
      cause: failure,
    },
  )
}
