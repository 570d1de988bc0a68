import type { Principal } from '@steward/rest-core'
import type { RestError } from '@steward/rest-core/errors'
import type { Context } from 'koa'
import type { Authenticator } from './authenticator.js'
import type { CredentialCache, Verified } from './credential-cache.js'
import { readAuthorization } from './credentials.js'
import type { LoginAndPassword } from './credentials.js'
import type { PasswordCheck } from './password-check.js'
import type { Tokens } from './tokens.js'

export interface VerifierOptions {
  readonly authenticator: Authenticator
  readonly cache: CredentialCache
  readonly checkPassword: PasswordCheck
  readonly tokens: Tokens | undefined
  /** The error for wrong credentials. */
  readonly refuse: (context: Context, text: string) => RestError
}

/** Finds out whose credentials they are, as seldom as it can. */
export interface Verifier {
  /** By an authorization header; at once when it is known. @throws RestError ERR_CREDENTIALS, ERR_TOO_MANY, ERR_UNAVAILABLE */
  verifyHeader(context: Context, header: string): Verified | Promise<Verified>
  /** By a token that is not to be shown in answers; `undefined` when it is wrong or over. */
  verifyHiddenToken(token: string): Promise<Verified | undefined>
}

export function createVerifier({ authenticator, cache, checkPassword, tokens, refuse }: VerifierOptions): Verifier {
  return { verifyHeader, verifyHiddenToken }

  function verifyHeader(context: Context, header: string): Verified | Promise<Verified> {
    const key = cache.keyOf(header, context.req.socket)
    return cache.get(key) ?? verifyUnknown(context, header, key)
  }

  async function verifyUnknown(context: Context, header: string, key: string): Promise<Verified> {
    const credentials = readAuthorization(header)
    if (!credentials) throw refuse(context, 'The authorization header is malformed.')
    const isToken = credentials.kind === 'token'
    const verified = await cache.verify(key, (before) => {
      return isToken ? verifyToken(credentials.token) : verifyLogin(context, credentials, key, before)
    })
    if (verified) return verified
    throw refuse(context, isToken ? 'The token is wrong or over; log in again.' : 'Login or password are wrong.')
  }

  async function verifyHiddenToken(text: string): Promise<Verified | undefined> {
    // No header looks like this.
    const key = cache.keyOf(`\n${text}`)
    return cache.get(key) ?? cache.verify(key, () => verifyToken(text, true))
  }

  async function verifyToken(text: string, hidden = false): Promise<Verified | undefined> {
    const token = await tokens?.verify(text)
    const principal = token && (await authenticator.principalOf(token.userId))
    if (!principal || authenticator.securityStampOf?.(principal) !== token.stamp) return undefined
    const { id, expires } = token
    return { principal, expires, session: hidden ? { id } : { id, authtoken: text, authtokenexpiry: expires } }
  }

  async function verifyLogin(
    context: Context,
    credentials: LoginAndPassword,
    key: string,
    before: Verified | undefined,
  ): Promise<Verified | undefined> {
    const principal = (before && (await stillRight(before))) ?? (await checkPassword(context, credentials))
    return principal && { principal, session: { id: key }, stamp: authenticator.securityStampOf?.(principal) }
  }

  /** The user whose password it was, if nothing about that changed since. */
  async function stillRight({ principal: { userId, login }, stamp }: Verified): Promise<Principal | undefined> {
    const now = await authenticator.principalOf(userId)
    return now?.login === login && authenticator.securityStampOf?.(now) === stamp ? now : undefined
  }
}
