import { abortable } from '../abortable.js'

/** Something that is being connected, is there for a while, and ends. */
export interface Connection {
  /** Rejects when it did not come about. */
  readonly ready: Promise<void>
  readonly isEnded: boolean
  end(): void
}

/** One user's hold of a connection. */
export interface Lease<C extends Connection> {
  readonly connection: C
  /** `isDoubtful`: nobody shall begin anything on it. */
  release(isDoubtful: boolean): void
}

interface Shared<C> {
  readonly connection: C
  users: number
  isDoubtful: boolean
}

/**
 * A connection that any number of calls use at a time. There is a new one when it has ended, or when it is in doubt
 * because a call was given up: it may be silent for ever. Those who use it still may go on.
 */
export class SharedConnection<C extends Connection> {
  readonly #connect: () => C
  readonly #all = new Set<C>()
  #current: Shared<C> | undefined

  constructor(connect: () => C) {
    this.#connect = connect
  }

  async lease(signal?: AbortSignal): Promise<Lease<C>> {
    signal?.throwIfAborted()
    const usable = this.#current && !this.#current.isDoubtful && !this.#current.connection.isEnded
    const shared = usable ? (this.#current as Shared<C>) : this.#connected()
    this.#current = shared
    shared.users++
    const { connection } = shared
    let isReleased = false
    const release = (isDoubtful: boolean) => {
      if (isReleased) return
      isReleased = true
      shared.users--
      if (isDoubtful) shared.isDoubtful = true
      if (shared.isDoubtful && shared.users === 0) connection.end()
    }
    try {
      await abortable(connection.ready, signal)
      return { connection, release }
    } catch (error) {
      release(true)
      throw error
    }
  }

  /** Runs a call on it, until the signal is aborted. */
  async use<T>(signal: AbortSignal | undefined, call: (connection: C) => Promise<T>): Promise<T> {
    const { connection, release } = await this.lease(signal)
    try {
      return await abortable(call(connection), signal)
    } finally {
      release(signal?.aborted === true || connection.isEnded)
    }
  }

  close(): void {
    for (const connection of this.#all) connection.end()
    this.#all.clear()
    this.#current = undefined
  }

  #connected(): Shared<C> {
    for (const each of this.#all) if (each.isEnded) this.#all.delete(each)
    const connection = this.#connect()
    this.#all.add(connection)
    return { connection, users: 0, isDoubtful: false }
  }
}
