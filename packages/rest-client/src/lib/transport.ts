import { errorOf, RestClientError, retryAfter } from './errors.js'
import type { ClientOptions, Credentials, Session } from './types.js'
import { longestPauseMs, wait } from './wait.js'

export interface Request {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below the base address, with its query. */
  readonly path: string
  /** The path is below the address beside the base address, where log-in and events are. */
  readonly beside?: boolean
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** Sent as JSON. */
  readonly json?: unknown
  /** A POST that only reads may be repeated. */
  readonly reads?: boolean
  /** Sent as it is; a stream cannot be repeated. */
  readonly body?: BodyInit | undefined
  readonly signal?: AbortSignal | undefined
}

export interface Transport {
  /** An answer with a good status. @throws RestClientError; what `signal` was aborted with. */
  send(request: Request): Promise<Response>
  /** The JSON value of the answer. */
  json<T>(request: Request): Promise<T>
  login(): Promise<Session>
  logout(): Promise<void>
  changePassword(password: string, newPassword: string): Promise<Session>
}

/** The first wait of the repetitions; each further one is twice as long. Not specified; chosen as most clients do. */
const firstWaitMs = 250

/** Sends calls with the credentials, and again when the service is busy. */
export function createTransport({
  url,
  credentials,
  viewAs,
  retries = 3,
  loginUrl,
  ...options
}: ClientOptions): Transport {
  const base = url.replace(/\/$/, '')
  const beside = (loginUrl ?? base.replace(/\/[^/]*$/, '')).replace(/\/$/, '')
  const fetch = options.fetch ?? globalThis.fetch.bind(globalThis)
  let session: Session | undefined

  return { send, json, login, logout, changePassword }

  async function json<T>(request: Request): Promise<T> {
    return (await send(request)).json() as Promise<T>
  }

  async function send(given: Request): Promise<Response> {
    const request = isStream(given) && inBrowser ? { ...given, body: await gathered(given) } : given
    for (let attempt = 0; ; attempt++) {
      const response = await attempted(request)
      if (response instanceof Response && response.ok) return response
      if (response instanceof Response && response.status === 401 && session) {
        // The token has ended; the password, which is known, gives another one.
        session = undefined
        if (!isStream(request)) continue
      }
      if (attempt >= retries || !mayRepeat(request, response)) {
        throw response instanceof Response ? await errorOf(response) : response
      }
      const asked = response instanceof Response ? retryAfter(response) : undefined
      if (response instanceof Response) await response.body?.cancel()
      const pause = asked === undefined ? firstWaitMs * 2 ** attempt * (0.5 + Math.random()) : asked * 1000
      await wait(Math.min(pause, longestPauseMs), request.signal)
    }
  }

  async function attempted(request: Request): Promise<Response | RestClientError> {
    const { method = 'GET', path, headers = {}, json: value, body, signal } = request
    const all = new Headers()
    for (const [name, text] of Object.entries(headers)) if (text !== undefined) all.set(name, text)
    if (value !== undefined) all.set('Content-Type', 'application/json')
    const who = session ? { token: session.authtoken } : await given()
    if (who) all.set('Authorization', authorization(who))
    const user = typeof viewAs === 'function' ? viewAs() : viewAs
    if (user !== undefined) all.set('X-View-As', encodeURIComponent(user))
    return call((request.beside ? beside : base) + path, {
      method,
      headers: all,
      body: value === undefined ? (body ?? null) : JSON.stringify(value),
      signal: signal ?? null,
      ...(body instanceof ReadableStream && { duplex: 'half' }),
    })
  }

  async function call(address: string, init: RequestInit): Promise<Response | RestClientError> {
    // A browser that is refused the credentials of its page asks its user for others, unless a header forbids it.
    const headers = new Headers(init.headers)
    const own = headers.has('Authorization')
    // Says that code calls, not a form of another site; and that a 401 is for the code, not for a dialog of the browser.
    headers.set('X-Requested-With', 'rest-client')
    try {
      return await fetch(address, { ...init, headers, ...(own && { credentials: 'omit' as const }) })
    } catch (cause) {
      if (init.signal?.aborted) throw cause
      return new RestClientError(unreachable(address), {
        code: 'ERR_NETWORK',
        status: 0,
        cause,
      })
    }
  }

  async function given(): Promise<Credentials | undefined> {
    return typeof credentials === 'function' ? credentials() : credentials
  }

  async function login(): Promise<Session> {
    const who = await given()
    session = undefined
    const headers = { Accept: 'application/json', ...(who && { Authorization: authorization(who) }) }
    const response = await post('/login', headers)
    return (session = (await response.json()) as Session)
  }

  async function logout(): Promise<void> {
    if (!session) return
    const headers = { Authorization: authorization({ token: session.authtoken }) }
    session = undefined
    await post('/logout', headers)
  }

  async function changePassword(password: string, newPassword: string): Promise<Session> {
    const values = { password, newPassword }
    return (session = await json<Session>({
      method: 'POST',
      path: '/password?format=json',
      beside: true,
      json: values,
    }))
  }

  async function post(path: string, headers: Readonly<Record<string, string>>): Promise<Response> {
    const response = await call(`${beside}${path}?format=json`, { method: 'POST', headers })
    if (!(response instanceof Response)) throw response
    if (!response.ok) throw await errorOf(response)
    return response
  }
}

/** A browser does not say whether nothing answered, or the answer is not for its page. */
function unreachable(address: string): string {
  const page = globalThis.location?.origin
  const { origin } = new URL(address, page === undefined || page === 'null' ? 'http://localhost' : page)
  const refused = page === undefined || page === origin ? '' : `, or its \`cors\` does not list ${page}`
  return `The service at ${origin} cannot be reached${refused}.`
}

function authorization(credentials: Credentials): string {
  if ('token' in credentials) return `Bearer ${credentials.token}`
  const bytes = new TextEncoder().encode(`${credentials.login}:${credentials.password}`)
  return `Basic ${btoa(String.fromCharCode(...bytes))}`
}

/**
 * 429 was not run. After 503 or a lost connection a write may have been: it is repeated only when a repeat does no harm.
 */
function mayRepeat(request: Request, response: Response | RestClientError): boolean {
  if (isStream(request)) return false
  if (response instanceof Response && response.status === 429) return true
  return (RestClientError.is(response) || response.status === 503) && isRepeatable(request)
}

function isRepeatable({ method, headers, reads }: Request): boolean {
  return method !== 'POST' || reads === true || headers?.['Idempotency-Key'] !== undefined
}

/** Browsers send streams by HTTP/2 only, if at all, and do not say which protocol it will be. */
const inBrowser = 'document' in globalThis || 'importScripts' in globalThis

function gathered({ body, signal }: Request): Promise<Blob> {
  signal?.throwIfAborted()
  return new Response(body).blob()
}

function isStream({ body }: Request): boolean {
  return body instanceof ReadableStream
}
