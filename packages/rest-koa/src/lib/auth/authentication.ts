import type { Principal } from '@steward/rest-core'
import { RestError } from '@steward/rest-core/errors'
import type { Context } from 'koa'
import { createClientAddress } from '../http/client-address.js'
import type { TrustProxy } from '../http/client-address.js'
import type { Authenticator } from './authenticator.js'
import { CredentialCache } from './credential-cache.js'
import type { CredentialCacheOptions, Verified } from './credential-cache.js'
import { readAuthorization } from './credentials.js'
import type { LoginAndPassword } from './credentials.js'
import { createThrottle } from './throttle.js'
import type { ThrottleOptions } from './throttle.js'
import { createTokens } from './tokens.js'
import type { Token, TokenOptions } from './tokens.js'

export interface AuthenticationOptions {
  readonly authenticator: Authenticator
  /** Tokens from a login. Default: only passwords work. */
  readonly tokens?: TokenOptions
  /**
   * `<Name>` of the header `X-<Name>-Authorization`, which may be sent in place of `Authorization` and goes before it, so that
   * a reverse proxy can have `Authorization` for itself. Default `Steward`.
   */
  readonly headerName?: string
  /** Who calls without any credentials act as; a function is asked each time, so that rights may change. Default: nobody, they get 401. */
  readonly publicPrincipal?: Principal | (() => Promise<Principal | undefined>)
  /** What browsers show when they ask for a password. Default `Steward`. */
  readonly realm?: string
  readonly cache?: CredentialCacheOptions
  readonly throttle?: ThrottleOptions
  /** Proxies that are believed about the client's address, which failures are counted by. Default: none. */
  readonly trustProxy?: TrustProxy
}

/** Who makes a request: a password on every call (basic authentication), or a token. */
export interface Authentication {
  /**
   * The principal of a request; also sets `ctx.state.session`. Answers at once when the credentials are known.
   *
   * @throws RestError ERR_CREDENTIALS (with `WWW-Authenticate` set), ERR_TOO_MANY
   */
  authenticate(context: Context): Principal | Promise<Principal>
  /**
   * A token for the user with this login and password; `undefined`: the request had none.
   *
   * @throws RestError ERR_CREDENTIALS, ERR_TOO_MANY; ERR_NOT_FOUND when there are no tokens here.
   */
  login(
    context: Context,
    credentials: LoginAndPassword | undefined,
  ): Promise<{ principal: Principal; token: Token & { token: string } }>
  /** Ends the credentials of the request: a token is revoked, a password is verified again next time. @throws RestError ERR_CREDENTIALS */
  logout(context: Context): Promise<void>
  /** The authorization header of a request, when there is one. */
  headerOf(context: Context): string | undefined
  /** To be called when a user changed: forgets what is known of the user's credentials. */
  drop(userId: string): void
  /** To be called when groups or rights changed: forgets all credentials. */
  clear(): void
}

/**
 * Basic authentication and tokens over an `Authenticator`. Source: rest-service.md, "Authentication"; wire-decisions,
 * "authentication".
 *
 * @throws TypeError for options that cannot be.
 *
 * @example
 * const authentication = createAuthentication({ authenticator: createUserDirectory({ model, store }), tokens: { secret } })
 * app.use(loginRouter(authentication))
 * app.use(restRouter(service, { authenticate: authentication.authenticate }))
 */
export function createAuthentication(options: AuthenticationOptions): Authentication {
  const { authenticator, headerName = 'Steward', publicPrincipal, realm = 'Steward' } = options
  if (!/^[A-Za-z0-9-]+$/.test(headerName))
    throw new TypeError(`headerName is "${headerName}"; give letters, digits and "-".`)
  if (!/^[^"\\\p{Cc}\P{ASCII}]*$/u.test(realm))
    throw new TypeError(`realm is ${JSON.stringify(realm)}; give ASCII text without quotes and backslashes.`)
  const ownHeader = `x-${headerName.toLowerCase()}-authorization`
  const client = createClientAddress(options.trustProxy)
  const cache = new CredentialCache(options.cache)
  const throttle = createThrottle(options.throttle)
  const tokens = options.tokens && createTokens(options.tokens)
  const challenge = `Basic realm="${realm}", charset="UTF-8"${tokens ? `, Bearer realm="${realm}"` : ''}`

  return { authenticate, login, logout, headerOf, drop: (userId) => cache.drop(userId), clear: () => cache.clear() }

  function authenticate(context: Context): Principal | Promise<Principal> {
    const header = headerOf(context)
    if (header === undefined) {
      if (typeof publicPrincipal === 'function')
        return publicPrincipal().then((principal) => principal ?? refuseAnonymous(context))
      return publicPrincipal ?? refuseAnonymous(context)
    }
    const key = cache.keyOf(header)
    const known = cache.get(key)
    if (!known) return verify(context, header, key)
    context.state['session'] = known.session
    return known.principal
  }

  function refuseAnonymous(context: Context): never {
    throw refuse(context, 'This needs a login and password, or a token.')
  }

  async function verify(context: Context, header: string, key: string): Promise<Principal> {
    const credentials = readAuthorization(header)
    if (!credentials) throw refuse(context, 'The authorization header is malformed.')
    const { principal, session } = await cache
      .verify(key, () => {
        return credentials.kind === 'token'
          ? verifyToken(context, credentials.token)
          : verifyLogin(context, credentials, key)
      })
      .catch((error: unknown) => {
        // Others may have shared the check.
        throw error instanceof RestError && error.code === 'ERR_CREDENTIALS' ? refuse(context, error.message) : error
      })
    context.state['session'] = session
    return principal
  }

  async function verifyLogin(context: Context, credentials: LoginAndPassword, key: string): Promise<Verified> {
    return { principal: await checkPassword(context, credentials), session: { id: key } }
  }

  async function verifyToken(context: Context, text: string): Promise<Verified> {
    const token = await tokens?.verify(text)
    const principal = token && (await authenticator.principalOf(token.userId))
    if (!principal) throw refuse(context, 'The token is wrong or over; log in again.')
    const { id, expires } = token
    return { principal, session: { id, authtoken: text, authtokenexpiry: expires }, expires }
  }

  async function checkPassword(context: Context, { login, password }: LoginAndPassword): Promise<Principal> {
    const attempt = await throttle.attempt(login, client.of(context.req))
    let principal
    try {
      principal = await authenticator.verifyPassword(login, password)
    } catch (error) {
      await attempt.undone()
      throw error
    }
    if (!principal) throw refuse(context, 'Login or password are wrong.')
    await attempt.succeeded()
    return principal
  }

  async function login(
    context: Context,
    credentials: LoginAndPassword | undefined,
  ): Promise<{ principal: Principal; token: Token & { token: string } }> {
    if (!tokens) throw RestError.notFound('Login by token')
    if (!credentials) throw refuse(context, 'This needs a login and password.')
    const principal = await checkPassword(context, credentials)
    return { principal, token: await tokens.issue(principal.userId) }
  }

  async function logout(context: Context): Promise<void> {
    const header = headerOf(context)
    if (header === undefined) throw refuse(context, 'Only who is logged in can log out.')
    await authenticate(context)
    const credentials = readAuthorization(header)
    const token = credentials?.kind === 'token' ? await tokens?.verify(credentials.token) : undefined
    if (token) await tokens?.revoke(token)
    cache.delete(cache.keyOf(header))
  }

  function headerOf({ req }: Context): string | undefined {
    return (req.headers[ownHeader] as string | undefined) ?? req.headers.authorization
  }

  function refuse(context: Context, text: string): RestError {
    context.set('WWW-Authenticate', challenge)
    return new RestError('ERR_CREDENTIALS', text)
  }
}
