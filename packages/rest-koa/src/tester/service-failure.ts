import type { ErrorBody } from '../lib/http/error-body.js'

/** The body of a refused request. The page itself says the status. */
export type FailureBody = Omit<ErrorBody, 'status'>

/** An answer with which the page cannot continue. */
export class ServiceFailure extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.name = 'ServiceFailure'
    this.status = status
  }
}

/** The body as that of a refused request; `undefined` when it is none. */
export function failureOf(body: unknown): FailureBody | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  const { error, code, messages } = body as Partial<FailureBody>
  if (typeof error !== 'string' || typeof code !== 'string') return undefined
  return { error, code, messages: Array.isArray(messages) ? messages : [] }
}
