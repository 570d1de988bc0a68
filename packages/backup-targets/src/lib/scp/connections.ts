import { abortable } from '../abortable.js'
import { SftpSession } from './session.js'
import type { SshSettings } from './settings.js'

/** One user's hold of a session. */
export interface SftpLease {
  readonly session: SftpSession
  /** `isDoubtful`: nothing new is started on it. */
  release(isDoubtful: boolean): void
}

interface SharedSession {
  readonly session: SftpSession
  users: number
  isDoubtful: boolean
}

/**
 * A session that any number of calls use at the same time. There is a new one when it has ended, or when it is in doubt
 * because a call was given up: it may be silent for ever. Those who use it still may continue.
 */
export class SftpConnections {
  readonly #settings: SshSettings
  readonly #all = new Set<SftpSession>()
  #current: SharedSession | undefined

  constructor(settings: SshSettings) {
    this.#settings = settings
  }

  async lease(signal?: AbortSignal): Promise<SftpLease> {
    signal?.throwIfAborted()
    const usable = this.#current && !this.#current.isDoubtful && !this.#current.session.isEnded
    const shared = usable ? (this.#current as SharedSession) : this.#connected()
    this.#current = shared
    shared.users++
    const { session } = shared
    let isReleased = false
    const release = (isDoubtful: boolean) => {
      if (isReleased) return
      isReleased = true
      shared.users--
      if (isDoubtful) shared.isDoubtful = true
      if (shared.isDoubtful && shared.users === 0) session.end()
    }
    try {
      await abortable(session.ready, signal)
      return { session, release }
    } catch (error) {
      release(true)
      throw error
    }
  }

  /** Runs a call on it, until the signal is aborted. */
  async use<T>(signal: AbortSignal | undefined, call: (session: SftpSession) => Promise<T>): Promise<T> {
    const { session, release } = await this.lease(signal)
    try {
      return await abortable(call(session), signal)
    } finally {
      release(signal?.aborted === true || session.isEnded)
    }
  }

  close(): void {
    for (const session of this.#all) session.end()
    this.#all.clear()
    this.#current = undefined
  }

  #connected(): SharedSession {
    for (const each of this.#all) if (each.isEnded) this.#all.delete(each)
    const session = new SftpSession(this.#settings)
    this.#all.add(session)
    return { session, users: 0, isDoubtful: false }
  }
}
