import { RestError, StoreError } from '../../errors.js'

/** Not specified; chosen because each time another caller must have created, or removed, the same record in between. */
const mostRetries = 2

/**
 * Runs a write again that failed because another caller created the same record meanwhile: then it finds it. The write
 * must be undone as a whole when it fails.
 */
export async function retryDuplicate<T>(work: () => Promise<T>): Promise<T> {
  for (let retries = 0; ; retries++) {
    try {
      return await work()
    } catch (error) {
      if (retries === mostRetries || !isDuplicate(error)) throw error
    }
  }
}

function isDuplicate(error: unknown): boolean {
  return (
    RestError.is(error) && error.code === 'ERR_CONFLICT' && StoreError.is(error.cause) && error.cause.code === 'unique'
  )
}
