import type { ErrorCode, ErrorMessage } from '@steward/rest-core/errors'

/** What a refused or failed request is answered with. Source: docs/spec/wire-decisions.md, "errors". */
export interface ErrorBody {
  readonly error: string
  readonly status: number
  readonly code: ErrorCode
  readonly messages: readonly ErrorMessage[]
}
