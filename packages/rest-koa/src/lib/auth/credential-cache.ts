import { hash, randomBytes } from 'node:crypto'
import type { Principal } from '@steward/rest-core'
import type { SessionInfo } from '../router/app-info.js'

export interface CredentialCacheOptions {
  /**
   * Seconds for which verified credentials are not verified again. Default 60; 0 keeps none. After them at the latest
   * it is noticed that another process has changed a user or revoked a token.
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
}

/**
 * Verified credentials, so that a password is checked once a minute and not on every call (a check costs as much as a
 * thousand record reads). Keys are hashes under a secret of this process: memory holds no header. Failures are not kept.
 */
export class CredentialCache {
  readonly #secret = randomBytes(32).toString('base64')
  readonly #lifetimeMs: number
  readonly #maxEntries: number
  readonly #entries = new Map<string, Verified & { readonly until: number }>()
  readonly #running = new Map<string, Promise<Verified>>()

  constructor({ lifetimeSeconds = 60, maxEntries = 10_000 }: CredentialCacheOptions = {}) {
    this.#lifetimeMs = lifetimeSeconds * 1000
    this.#maxEntries = maxEntries
  }

  keyOf(header: string): string {
    return hash('sha256', this.#secret + header, 'base64url')
  }

  get(key: string): Verified | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    if (entry.until > Date.now()) return entry
    this.#entries.delete(key)
    return undefined
  }

  /** The kept credentials, else what `verify` finds; callers with the same key at the same time share one `verify`. */
  async verify(key: string, verify: () => Promise<Verified>): Promise<Verified> {
    const shared = this.#running.get(key)
    if (shared) return shared
    const running = verify()
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

  delete(key: string): void {
    this.#entries.delete(key)
    this.#running.delete(key)
  }

  /** Forgets one user, whatever the credentials. */
  drop(userId: string): void {
    for (const [key, { principal }] of this.#entries) if (principal.userId === userId) this.#entries.delete(key)
    this.#running.clear()
  }

  clear(): void {
    this.#entries.clear()
    this.#running.clear()
  }

  #keep(key: string, verified: Verified): void {
    const until = Math.min(Date.now() + this.#lifetimeMs, verified.expires ?? Infinity)
    if (until <= Date.now()) return
    this.#entries.delete(key)
    this.#entries.set(key, { ...verified, until })
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#maxEntries) break
      this.#entries.delete(oldest)
    }
  }
}
