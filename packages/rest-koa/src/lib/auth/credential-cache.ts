import { hash, randomBytes } from 'node:crypto'
import type { Principal } from '@steward/rest-core'
import type { SessionInfo } from '../router/app-info.js'

export interface CredentialCacheOptions {
  /**
   * Seconds for which verified credentials are not verified again. Default 60; 0 keeps none. After them, and the time for
   * which the authenticator keeps users, it is noticed at the latest that another process has changed a user or revoked a
   * token.
   */
  readonly lifetimeSeconds?: number
  /** Most entries; the oldest go first. Default 10,000. */
  readonly maxEntries?: number
}

/** Credentials that were found right. */
export interface Verified {
  readonly principal: Principal
  readonly session: SessionInfo
  /** Absolute, in ms since the Unix epoch; the credentials themselves end then. */
  readonly expires?: number
  /** The user's security stamp at that time. */
  readonly stamp?: string | undefined
}

interface Entry extends Verified {
  /** Absolute, in ms since the Unix epoch; then they are verified again. */
  until: number
}

/**
 * Verified credentials, so that a password is not checked on every call (a check costs as much as several thousand record
 * reads): with a security stamp once, without one once a minute. Keys are hashes under a secret of this process: memory
 * holds no header but those of connections that are open. Failures are not kept.
 */
export class CredentialCache {
  readonly #secret = randomBytes(32).toString('base64')
  readonly #lifetimeMs: number
  readonly #maxEntries: number
  readonly #entries = new Map<string, Entry>()
  readonly #lastKeys = new WeakMap<object, { readonly header: string; readonly key: string }>()
  readonly #running = new Map<string, Promise<Verified | undefined>>()

  constructor({ lifetimeSeconds = 60, maxEntries = 10_000 }: CredentialCacheOptions = {}) {
    this.#lifetimeMs = lifetimeSeconds * 1000
    this.#maxEntries = maxEntries
  }

  /**
   * The key of an authorization header.
   *
   * @param connection sends the same header again and again; it is hashed once, and kept as long as the connection lives.
   */
  keyOf(header: string, connection?: object): string {
    const last = connection && this.#lastKeys.get(connection)
    if (last?.header === header) return last.key
    const key = hash('sha256', this.#secret + header, 'base64url')
    if (connection) this.#lastKeys.set(connection, { header, key })
    return key
  }

  get(key: string): Verified | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined || entry.until > Date.now()) return entry
    this.#expire(key, entry)
    return undefined
  }

  /**
   * What `verify` finds, `undefined` for wrong credentials; callers with the same key at the same time share one `verify`.
   * It receives what was found before, if that had a stamp.
   */
  async verify(
    key: string,
    verify: (before: Verified | undefined) => Promise<Verified | undefined>,
  ): Promise<Verified | undefined> {
    const shared = this.#running.get(key)
    if (shared) return shared
    const running = verify(this.#entries.get(key))
    this.#running.set(key, running)
    try {
      const verified = await running
      // Dropped meanwhile: the user may have changed after it was read.
      if (this.#running.get(key) === running) this.#keep(key, verified)
      return verified
    } finally {
      if (this.#running.get(key) === running) this.#running.delete(key)
    }
  }

  /** Forgets all credentials of a session. */
  end(sessionId: string): void {
    for (const [key, { session }] of this.#entries) if (session.id === sessionId) this.#entries.delete(key)
    this.#running.clear()
  }

  /** Has the credentials of one user verified again. */
  drop(userId: string): void {
    for (const [key, entry] of this.#entries) if (entry.principal.userId === userId) this.#expire(key, entry)
    this.#running.clear()
  }

  /** Has all credentials verified again. */
  clear(): void {
    for (const [key, entry] of this.#entries) this.#expire(key, entry)
    this.#running.clear()
  }

  #expire(key: string, entry: Entry): void {
    if (entry.stamp === undefined) this.#entries.delete(key)
    else entry.until = 0
  }

  #keep(key: string, verified: Verified | undefined): void {
    this.#entries.delete(key)
    if (!verified) return
    const until = Math.min(Date.now() + this.#lifetimeMs, verified.expires ?? Infinity)
    if (until <= Date.now()) return
    this.#entries.set(key, { ...verified, until })
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#maxEntries) break
      this.#entries.delete(oldest)
    }
  }
}
