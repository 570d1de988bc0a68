/** One thing that is wrong with a request. */
export interface ErrorMessage {
  /** Stable code, e.g. `ERR_REQUIRED`. */
  readonly code: string
  /** The field it is about, when it is about one. */
  readonly field?: string
  readonly text: string
}

/** The same symbol in every copy of this package. */
const brand = Symbol.for('@steward/rest-client/RestClientError')

/**
 * What the service refused, or why it could not be reached: `status` 0 with code `ERR_NETWORK`.
 * Codes are those of the service, e.g. `ERR_VALIDATION`, `ERR_NOT_FOUND`, `ERR_CONFLICT`.
 */
export class RestClientError extends Error {
  readonly code: string
  /** HTTP status; 0 when there was no answer. */
  readonly status: number
  readonly messages: readonly ErrorMessage[]
  /** Seconds after which another try makes sense, when the service said so. */
  readonly retryAfterSeconds: number | undefined

  static {
    Object.defineProperty(this.prototype, brand, { value: true })
  }

  /** Whether it is one, of this or of another installed copy of this package; `instanceof` knows only those of its own copy. */
  static is(value: unknown): value is RestClientError {
    return typeof value === 'object' && value !== null && brand in value
  }

  constructor(
    message: string,
    about: {
      code: string
      status: number
      messages?: readonly ErrorMessage[] | undefined
      retryAfterSeconds?: number | undefined
      cause?: unknown
    },
  ) {
    super(message, { cause: about.cause })
    this.name = 'RestClientError'
    this.code = about.code
    this.status = about.status
    this.messages = about.messages ?? []
    this.retryAfterSeconds = about.retryAfterSeconds
  }
}

/** The error that an answer reports. */
export async function errorOf(response: Response): Promise<RestClientError> {
  const { status } = response
  const text = await response.text().catch(() => '')
  const body = parse(text)
  return new RestClientError(body?.error ?? `The service answered ${status}.`, {
    code: body?.code ?? `HTTP_${status}`,
    status,
    messages: body?.messages,
    retryAfterSeconds: retryAfter(response),
  })
}

/** Seconds of the header `Retry-After`, also when it is a date. */
export function retryAfter({ headers }: Response): number | undefined {
  const value = headers.get('retry-after')
  if (value === null) return undefined
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}

function parse(text: string): { error?: string; code?: string; messages?: readonly ErrorMessage[] } | undefined {
  try {
    return JSON.parse(text) as object
  } catch {
    return undefined
  }
}
