import type { ErrorCode, ErrorMessage } from '@steward/rest-core/errors'

/** What a refused or failed request is answered with. Source: wire-decisions, "errors". */
export interface ErrorBody {
  readonly error: string
  readonly status: number
  readonly code: ErrorCode
  readonly messages: readonly ErrorMessage[]
}
