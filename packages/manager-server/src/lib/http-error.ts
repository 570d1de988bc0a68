import type { ManagerErrorCode } from '@steward/manager-core/errors'

export interface HttpErrorOptions {
  readonly cause?: unknown
  readonly help?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** What is wrong with a request, before an action was called. Its message is for the client. */
export class HttpError extends Error {
  readonly status: number
  readonly code: ManagerErrorCode
  readonly help: string | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, code: ManagerErrorCode, message: string, options: HttpErrorOptions = {}) {
    super(message, { cause: options.cause })
    this.name = 'HttpError'
    this.status = status
    this.code = code
    this.help = options.help
    this.headers = options.headers ?? {}
  }
}
