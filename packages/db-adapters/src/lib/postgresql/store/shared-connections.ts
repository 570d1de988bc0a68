import { closedError, type ConnectionSource } from '../../pool/source.js'
import type { PostgresqlConnection } from './connection.js'

/** Not specified; a row is read by its id in less than a hundredth of it, unless its view computes for long. */
const heldUpMs = 250

/**
 * A few connections that all callers use at once; each statement goes to the least busy one. Only for reads that never
 * wait for locks and never take long: the statements after one wait for it.
 */
export class SharedConnections implements ConnectionSource<PostgresqlConnection> {
  readonly #open: () => Promise<PostgresqlConnection>
  readonly #size: number
  #connections: PostgresqlConnection[] = []
  /** How many callers have each. */
  readonly #users = new Map<PostgresqlConnection, number>()
  #opening: Promise<PostgresqlConnection | undefined> | undefined
  /** Those that were discarded meanwhile are among them. */
  readonly #allOpening = new Set<Promise<unknown>>()
  #closed: Promise<void> | undefined

  constructor(open: () => Promise<PostgresqlConnection>, size: number) {
    this.#open = open
    this.#size = size
  }

  take(): PostgresqlConnection | Promise<PostgresqlConnection> {
    const best = this.#closed ? undefined : this.#leastBusy()
    return best ? this.#use(best) : this.#useOpened()
  }

  #use(connection: PostgresqlConnection): PostgresqlConnection {
    this.#users.set(connection, (this.#users.get(connection) ?? 0) + 1)
    return connection
  }

  /** All have a statement that takes long, for which others would wait. */
  get isHeldUp(): boolean {
    return this.#connections.length >= this.#size && this.#connections.every((connection) => isHeldUp(connection))
  }

  #leastBusy(): PostgresqlConnection | undefined {
    const mayOpen = this.#connections.length < this.#size
    let best: PostgresqlConnection | undefined
    for (const connection of this.#connections) {
      if (!connection.usable || (mayOpen && isHeldUp(connection))) continue
      if (!best || isBetter(connection, best)) best = connection
    }
    if (best && best.pending > 0 && this.#connections.length < this.#size && !this.#closed) {
      // No caller waits for it, and the next one meets the same failure.
      this.#openOne().catch(() => {})
    }
    return best
  }

  async #useOpened(): Promise<PostgresqlConnection> {
    // What others started may fail for what happened before this call.
    let connection = this.#opening && (await this.#opening.catch(() => undefined))
    while (!connection || !this.#connections.includes(connection)) {
      if (this.#closed) throw closedError()
      connection = this.#leastBusy() ?? (await this.#openOne())
    }
    return this.#use(connection)
  }

  release(connection: PostgresqlConnection): void {
    const users = this.#users.get(connection)! - 1
    if (users > 0) this.#users.set(connection, users)
    else this.#users.delete(connection)
    if (!connection.usable) this.#connections = this.#connections.filter((other) => other !== connection)
    else if (users === 0 && !this.#connections.includes(connection)) void connection.close()
  }

  discardIdle(): void {
    for (const connection of this.#connections.splice(0)) {
      // The last of its users closes it.
      if (!connection.usable || !this.#users.has(connection)) void connection.close()
    }
    this.#opening = undefined
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#end())
  }

  async #end(): Promise<void> {
    await Promise.allSettled(this.#allOpening)
    // Ending a pipelined connection answers what was sent first.
    const all = new Set([...this.#connections.splice(0), ...this.#users.keys()])
    await Promise.all(Array.from(all, (connection) => connection.close()))
  }

  /** Undefined: it was discarded meanwhile. */
  #openOne(): Promise<PostgresqlConnection | undefined> {
    if (this.#opening) return this.#opening
    const isCurrent = (): boolean => {
      this.#allOpening.delete(opening)
      if (this.#opening !== opening) return false
      this.#opening = undefined
      return true
    }
    const opening = this.#open().then(
      (connection) => {
        if (!isCurrent()) return void connection.close()
        this.#connections = [...this.#connections.filter(({ usable }) => usable), connection]
        return connection
      },
      (error: unknown) => {
        if (isCurrent()) throw error
        return undefined
      },
    )
    this.#allOpening.add(opening)
    this.#opening = opening
    return opening
  }
}

function isHeldUp({ usable, pending, busySince }: PostgresqlConnection): boolean {
  return usable && pending > 0 && performance.now() - busySince > heldUpMs
}

function isBetter(one: PostgresqlConnection, other: PostgresqlConnection): boolean {
  if (one.pending === 0 || other.pending === 0) return one.pending < other.pending
  const [held, isOtherHeld] = [isHeldUp(one), isHeldUp(other)]
  return held === isOtherHeld ? one.pending < other.pending : isOtherHeld
}
