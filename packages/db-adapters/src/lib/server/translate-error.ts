import { StoreError } from '@steward/rest-core/errors'
import { DatabaseServerError } from './database-server.js'
import type { DatabaseServerErrorCode } from './database-server.js'

export interface ErrorTranslation {
  /** Starts the message, e.g. `MySQL`. */
  readonly vendor: string
  /** Classifies an error of the driver. */
  codeOf(error: Error): DatabaseServerErrorCode
  /** Classifies what a program printed; `ERR_FAILED` when it does not say. */
  codeOfText(output: string): DatabaseServerErrorCode
}

/** What the driver, the server or a program gave, once for every call. The reason of an abort stays what it is. */
export function createTranslator({ vendor, codeOf, codeOfText }: ErrorTranslation): (error: unknown) => Error {
  return (error) => {
    const cause = error as Error & { readonly code?: string }
    if (cause.name === 'AbortError' || cause.name === 'TimeoutError') return cause
    if (DatabaseServerError.is(error)) {
      const { output } = error
      const code = error.code === 'ERR_FAILED' && output !== undefined ? codeOfText(output) : error.code
      return code === error.code ? error : new DatabaseServerError(code, error.message, { cause, output: output ?? '' })
    }
    if (StoreError.is(error)) return new DatabaseServerError('ERR_FAILED', error.message, { cause })
    return new DatabaseServerError(codeOf(cause), `${vendor}: ${cause.message || cause.code}`, { cause })
  }
}
