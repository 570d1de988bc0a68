import type { Principal } from '@steward/rest-core'
import { RestError } from '@steward/rest-core/errors'
import type { Context } from 'koa'
import { createClientAddress } from '../http/client-address.js'
import type { TrustProxy } from '../http/client-address.js'
import type { Authenticator } from './authenticator.js'
import { CredentialCache } from './credential-cache.js'
import type { CredentialCacheOptions, Verified } from './credential-cache.js'
import type { LoginAndPassword } from './credentials.js'
import { createPasswordCheck } from './password-check.js'
import type { PasswordQueueOptions } from './password-queue.js'
import { createSessions } from './sessions.js'
import type { Sessions } from './sessions.js'
import type { ThrottleOptions } from './throttle.js'
import { createTokens } from './tokens.js'
import type { Token, TokenOptions, Tokens } from './tokens.js'
import { createVerifier } from './verifier.js'

export interface AuthenticationOptions {
  readonly authenticator: Authenticator
  /** Tokens from a login. Default: only passwords work. */
  readonly tokens?: TokenOptions
  /**
   * For levels 3.x: a call with a password starts a session that the cookie `JSESSIONID` stands for. Calls with the cookie
   * alone are made by the same user, until a logout, or until it is not used for long (half the lifetime of a token at
   * least). Needs `tokens`. Default false. Source: docs/spec/rest-service.md, "Authentication", rule 3.
   */
  readonly sessionCookie?: boolean
  /**
   * `<Name>` of the header `X-<Name>-Authorization`, which may be sent in place of `Authorization` and goes before it, so that
   * a reverse proxy can have `Authorization` for itself. Default `Steward`.
   */
  readonly headerName?: string
  /** The user as whom calls without credentials act; a function is asked each time, so that rights may change. Default: none, they get 401. */
  readonly publicPrincipal?: Principal | (() => Promise<Principal | undefined>)
  /**
   * An empty password is checked like any other, for users who sign in with their login alone. Default false: it is wrong.
   * Source: docs/spec/rest-service.md, "Authentication", rule 1.
   */
  readonly passwordless?: boolean | undefined
  /** What browsers show when they ask for a password. Default `Steward`. */
  readonly realm?: string
  readonly cache?: CredentialCacheOptions
  readonly throttle?: ThrottleOptions
  /** Keeps a flood of passwords to check from filling memory and taking all threads. */
  readonly passwordQueue?: PasswordQueueOptions
  /** Proxies that are believed about the client's address, which failures are counted by, and about TLS. Default: none. */
  readonly trustProxy?: TrustProxy
}

export interface Login {
  readonly principal: Principal
  readonly token: Token & { readonly token: string }
}

export interface Passwords {
  /** The present one. */
  readonly password: string
  readonly newPassword: string
}

/** Who makes a request: a password on every call (basic authentication), or a token. */
export interface Authentication {
  /**
   * The principal of a request; also sets `ctx.state.session`, or `ctx.state.anonymous` when it came without credentials.
   * Answers at once when the credentials are known.
   *
   * @throws RestError ERR_CREDENTIALS (with `WWW-Authenticate` set), ERR_TOO_MANY, ERR_UNAVAILABLE
   */
  authenticate(context: Context): Principal | Promise<Principal>
  /**
   * A token for the user with this login and password; `undefined`: the request had none.
   *
   * @throws RestError ERR_CREDENTIALS, ERR_TOO_MANY, ERR_UNAVAILABLE; ERR_NOT_FOUND when there are no tokens here.
   */
  login(context: Context, credentials: LoginAndPassword | undefined): Promise<Login>
  /** Ends the credentials of the request: a token or session is revoked, a password is checked again next time. @throws RestError ERR_CREDENTIALS */
  logout(context: Context): Promise<void>
  /** The authenticator can change passwords. */
  readonly changesPasswords: boolean
  /**
   * Gives the user of the request another password, and a token in place of all that the user had.
   *
   * @throws RestError ERR_CREDENTIALS; ERR_VALIDATION when the present password is wrong, or the new one breaks a rule;
   * ERR_TOO_MANY; ERR_NOT_FOUND when passwords cannot be changed here.
   */
  changePassword(context: Context, passwords: Passwords): Promise<Login>
  /** The authorization header of a request, when there is one. */
  headerOf(context: Context): string | undefined
  /** To be called when a user changed: has the user's credentials verified again. */
  drop(userId: string): void
  /** To be called when groups or rights changed: has all credentials verified again. */
  clear(): void
}

/**
 * Basic authentication and tokens over an `Authenticator`. Source: docs/spec/rest-service.md, "Authentication";
 * docs/spec/wire-decisions.md, "authentication".
 *
 * @throws TypeError for options that cannot be.
 *
 * @example
 * const authentication = createAuthentication({ authenticator: createUserDirectory({ model, store }), tokens: { secret } })
 * app.use(loginRouter(authentication).routes())
 * app.use(restRouter(service, { authenticate: authentication.authenticate }).routes())
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
  const checkPassword = createPasswordCheck({
    authenticator,
    client,
    passwordless: options.passwordless ?? false,
    throttle: options.throttle,
    queue: options.passwordQueue,
  })
  const tokens = options.tokens && createTokens(options.tokens)
  if (options.sessionCookie && !tokens) throw new TypeError('The option "sessionCookie" needs the option "tokens".')
  const challenges = { basic: `Basic realm="${realm}", charset="UTF-8"`, bearer: tokens && `Bearer realm="${realm}"` }
  const verifier = createVerifier({ authenticator, cache, checkPassword, tokens, refuse })
  const sessions =
    options.sessionCookie && tokens
      ? createSessions({
          client,
          verifier,
          issueToken: (principal, id) => issueToken(tokens, principal, id),
          lifetimeMs: tokens.lifetimeMs,
        })
      : undefined

  return {
    authenticate,
    login,
    logout,
    changesPasswords: authenticator.changePassword !== undefined,
    changePassword,
    headerOf,
    drop: (userId) => cache.drop(userId),
    clear: () => cache.clear(),
  }

  function authenticate(context: Context): Principal | Promise<Principal> {
    if (sessions) return authenticateInSession(context, sessions)
    const header = headerOf(context)
    if (header === undefined) return anonymous(context)
    const verified = verifier.verifyHeader(context, header)
    return verified instanceof Promise ? verified.then((found) => accept(context, found)) : accept(context, verified)
  }

  async function authenticateInSession(context: Context, { find, begin }: Sessions): Promise<Principal> {
    const header = headerOf(context)
    const session = await find(context)
    if (header === undefined) return session ? accept(context, session) : anonymous(context)
    const verified = await verifier.verifyHeader(context, header)
    const { principal, expires } = verified
    // Who has a token needs no session.
    if (expires !== undefined) return accept(context, verified)
    return accept(context, session?.principal.userId === principal.userId ? session : await begin(context, principal))
  }

  function accept(context: Context, { principal, session }: Verified): Principal {
    context.state['session'] = session
    return principal
  }

  function anonymous(context: Context): Principal | Promise<Principal> {
    context.state['anonymous'] = true
    if (typeof publicPrincipal === 'function')
      return publicPrincipal().then((principal) => principal ?? refuseAnonymous(context))
    return publicPrincipal ?? refuseAnonymous(context)
  }

  function refuseAnonymous(context: Context): never {
    throw refuse(context, 'This needs a login and password, or a token.')
  }

  async function login(context: Context, credentials: LoginAndPassword | undefined): Promise<Login> {
    if (!tokens) throw RestError.notFound('Login by token')
    if (!credentials) throw refuse(context, 'This needs a login and password.')
    const principal = await checkPassword(context, credentials)
    if (!principal) throw refuse(context, 'Login or password are wrong.')
    const token = await issueToken(tokens, principal)
    sessions?.setCookie(context, token.token)
    return { principal, token }
  }

  function issueToken({ issue }: Tokens, principal: Principal, id?: string): ReturnType<Tokens['issue']> {
    return issue(principal.userId, { id, stamp: authenticator.securityStampOf?.(principal) })
  }

  async function changePassword(context: Context, { password, newPassword }: Passwords): Promise<Login> {
    if (!authenticator.changePassword) throw RestError.notFound('Changing passwords')
    const header = headerOf(context)
    const found = header === undefined ? await sessions?.find(context) : await verifier.verifyHeader(context, header)
    if (!found) throw refuse(context, 'Only who is logged in can change the password.')
    const { login: name, userId } = found.principal
    const isRight = (await checkPassword(context, { login: name, password }))?.userId === userId
    if (!isRight) throw wrongPassword('password', 'The present password is wrong.')
    if (newPassword === password) throw wrongPassword('newPassword', 'The new password is the present one.')
    await authenticator.changePassword(found.principal, newPassword)
    cache.drop(userId)
    return login(context, { login: name, password: newPassword })
  }

  async function logout(context: Context): Promise<void> {
    const header = headerOf(context)
    const session = await sessions?.find(context)
    if (header === undefined && !session) throw refuse(context, 'Only who is logged in can log out.')
    if (header !== undefined) await end(await verifier.verifyHeader(context, header))
    if (session) await end(session)
    sessions?.setCookie(context, null)
  }

  async function end({ session: { id }, expires }: Verified): Promise<void> {
    if (expires !== undefined) await tokens?.revoke({ id, expires })
    cache.end(id)
  }

  function wrongPassword(field: keyof Passwords, text: string): RestError {
    return RestError.validation([{ code: field === 'password' ? 'ERR_CREDENTIALS' : 'ERR_VALIDATION', field, text }])
  }

  function headerOf({ req }: Context): string | undefined {
    return (req.headers[ownHeader] as string | undefined) ?? req.headers.authorization
  }

  function refuse(context: Context, text: string): RestError {
    // A browser asks its user for a password when it sees "Basic", which code of a page that calls does not want.
    const isCode = context.req.headers['x-requested-with'] !== undefined
    const offered = [isCode ? undefined : challenges.basic, challenges.bearer].filter(
      (challenge) => challenge !== undefined,
    )
    if (offered.length > 0) context.set('WWW-Authenticate', offered.join(', '))
    return new RestError('ERR_CREDENTIALS', text)
  }
}
