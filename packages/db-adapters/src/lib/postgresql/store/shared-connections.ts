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
  #opening: Promise<PostgresqlConnection> | undefined
  #closed: Promise<void> | undefined

  constructor(open: () => Promise<PostgresqlConnection>, size: number) {
    this.#open = open
    this.#size = size
  }

  take(): PostgresqlConnection | Promise<PostgresqlConnection> {
    return (this.#closed ? undefined : this.#leastBusy()) ?? this.#opened()
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

  async #opened(): Promise<PostgresqlConnection> {
    if (this.#closed) throw closedError()
    // What others started may fail for what happened before this call.
    return this.#opening ? this.#opening.catch(() => this.#openOne()) : this.#openOne()
  }

  release(connection: PostgresqlConnection): void {
    if (!connection.usable) this.#connections = this.#connections.filter((other) => other !== connection)
  }

  discardIdle(): void {
    const idle = this.#connections.filter(({ pending, usable }) => pending === 0 || !usable)
    this.#connections = this.#connections.filter((connection) => !idle.includes(connection))
    for (const connection of idle) void connection.close()
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#end())
  }

  async #end(): Promise<void> {
    await this.#opening?.catch(() => {})
    // Ending a pipelined connection answers what was sent first.
    await Promise.all(this.#connections.splice(0).map((connection) => connection.close()))
  }

  #openOne(): Promise<PostgresqlConnection> {
    return (this.#opening ??= this.#add().finally(() => {
      this.#opening = undefined
    }))
  }

  async #add(): Promise<PostgresqlConnection> {
    const connection = await this.#open()
    this.#connections = [...this.#connections.filter(({ usable }) => usable), connection]
    return connection
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
