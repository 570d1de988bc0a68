import { createSecretKey, randomUUID } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { createMemoryTokenStore } from './token-store.js'
import type { TokenStore } from './token-store.js'

/** At least 32 bytes, as HS256 needs; a text counts as its UTF-8 bytes. */
export type TokenSecret = string | Uint8Array

export interface TokenOptions {
  /** Signs the tokens. The application keeps it, so that tokens outlive a restart; a function is asked once, when first needed. */
  readonly secret: TokenSecret | (() => TokenSecret | Promise<TokenSecret>)
  /** Signed tokens that are still in use, before `secret` was new: they are taken until they end. Default: none. */
  readonly oldSecrets?: readonly TokenSecret[]
  /** How long a token works. Default 8 hours. Not specified; chosen as a working day. */
  readonly lifetimeSeconds?: number
  /** Who issues and takes the tokens; tokens of another issuer with the same secret are refused. Default `steward`. */
  readonly issuer?: string
  /** Default: in memory. */
  readonly store?: TokenStore
}

export interface Token {
  readonly id: string
  readonly userId: string
  /** Absolute, in ms since the Unix epoch. */
  readonly expires: number
  /** The user's security stamp when it was issued. */
  readonly stamp: string | undefined
}

export interface IssueOptions {
  /** To renew a token. Default: a new one. */
  readonly id?: string
  readonly stamp?: string | undefined
}

/** Issues, checks and revokes signed tokens (JWT, HS256). */
export interface Tokens {
  issue(userId: string, options?: IssueOptions): Promise<Token & { readonly token: string }>
  /** `undefined` when it is malformed, forged, over or revoked. */
  verify(token: string): Promise<Token | undefined>
  /** Revokes a token and all others of its id. */
  revoke(token: Pick<Token, 'id' | 'expires'>): Promise<void>
  readonly lifetimeMs: number
}

/** @throws TypeError for a secret that is too short; when it comes from a function, from the first call that needs it. */
export function createTokens({
  secret,
  oldSecrets = [],
  lifetimeSeconds = 8 * 3600,
  issuer = 'steward',
  store = createMemoryTokenStore(),
}: TokenOptions): Tokens {
  let key: Promise<KeyObject> | undefined
  if (typeof secret !== 'function') key = Promise.resolve(toKey(secret))
  const oldKeys = oldSecrets.map(toKey)
  const lifetimeMs = lifetimeSeconds * 1000
  return {
    issue,
    verify,
    // A renewed token with this id may have been issued just now.
    revoke: ({ id, expires }) => store.revoke(id, Math.max(expires, Date.now() + lifetimeMs)),
    lifetimeMs,
  }

  async function issue(
    userId: string,
    { id = randomUUID(), stamp }: IssueOptions = {},
  ): Promise<Token & { token: string }> {
    const { SignJWT } = await import('jose')
    const now = Math.floor(Date.now() / 1000)
    const token = await new SignJWT(stamp === undefined ? {} : { stamp })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setIssuer(issuer)
      .setSubject(userId)
      .setJti(id)
      .setIssuedAt(now)
      .setExpirationTime(now + lifetimeSeconds)
      .sign(await getKey())
    return { id, userId, expires: (now + lifetimeSeconds) * 1000, stamp, token }
  }

  async function verify(token: string): Promise<Token | undefined> {
    const [signingKey, { errors, jwtVerify }] = await Promise.all([getKey(), import('jose')])
    const options = { algorithms: ['HS256'], issuer, requiredClaims: ['sub', 'jti', 'exp'] }
    const verifyWith = async ([key, ...others]: [KeyObject, ...KeyObject[]]): ReturnType<typeof jwtVerify> => {
      try {
        return await jwtVerify(token, key, options)
      } catch (error) {
        const [next, ...more] = others
        if (!next || !(error instanceof errors.JWSSignatureVerificationFailed)) throw error
        return verifyWith([next, ...more])
      }
    }
    try {
      const { payload } = await verifyWith([signingKey, ...oldKeys])
      const { jti: id = '', sub: userId = '', exp = 0, stamp } = payload
      if (await store.isRevoked(id)) return undefined
      return { id, userId, expires: exp * 1000, stamp: stamp as string | undefined }
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined
      throw error
    }
  }

  function getKey(): Promise<KeyObject> {
    if (!key) {
      key = Promise.resolve((secret as () => TokenSecret | Promise<TokenSecret>)()).then(toKey)
      key.catch(() => (key = undefined))
    }
    return key
  }
}

function toKey(secret: TokenSecret): KeyObject {
  const bytes = Buffer.from(secret as Uint8Array)
  if (bytes.length < 32) throw new TypeError(`The secret for tokens has ${bytes.length} bytes; it needs at least 32.`)
  return createSecretKey(bytes)
}
