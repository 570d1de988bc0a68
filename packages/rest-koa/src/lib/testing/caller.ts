/** An answer as tests look at it. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed JSON; `undefined` when there is none. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
  readonly json: any
}

export interface CallOptions {
  readonly json?: unknown
  readonly body?: NonNullable<RequestInit['body']>
  readonly headers?: Readonly<Record<string, string>>
  readonly user?: string | null
}

export type CallService = (method: string, path: string, options?: CallOptions) => Promise<Answer>

/** Header value for basic authentication. */
export function basic(login: string, password: string): string {
  return `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`
}

/** Looks at every answer; throws when it does not like it. */
export type CheckAnswer = (
  request: { readonly method: string; readonly path: string; readonly headers: Readonly<Record<string, string>> },
  answer: Answer,
) => void | Promise<void>

/**
 * Calls a server as `user` (with the password of that name) or, with `null`, without credentials.
 *
 * @param base put before every path.
 */
export function createCaller(base: string, defaultUser: string | null = 'ann', check?: CheckAnswer): CallService {
  return async (method, path, { json, body, headers = {}, user = defaultUser } = {}) => {
    const sent = {
      ...(user !== null && { authorization: basic(user, user) }),
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    }
    const response = await fetch(base + path, {
      method,
      redirect: 'manual',
      headers: sent,
      ...(json !== undefined && { body: JSON.stringify(json) }),
      ...(body !== undefined && { body, ...(body instanceof ReadableStream && { duplex: 'half' }) }),
    })
    const text = await response.text()
    const answer = { status: response.status, headers: response.headers, text, json: parse(text) }
    await check?.({ method, path, headers: sent }, answer)
    return answer
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
