import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** What happens to a connection when enough bytes have passed. */
export interface Fault {
  /**
   * `reset` ends both sides with RST, `fin` ends them politely in the middle, `blackhole` keeps them open and forwards
   * nothing more, `slow` forwards at `bytesPerSecond`.
   */
  readonly kind: 'reset' | 'fin' | 'blackhole' | 'slow'
  /** Bytes of one connection that pass unharmed. Default: 0. */
  readonly afterBytes?: number
  /** Which bytes count: `up` those of the client, `down` those of the server. Default: up. */
  readonly direction?: 'up' | 'down'
  /** This many connections meet it, then all goes well. Default: 1. */
  readonly times?: number
  /** For `slow`. Default: 1024. */
  readonly bytesPerSecond?: number
}

export interface FaultProxyOptions {
  /** Port of its server, at 127.0.0.1. */
  readonly to: number
  /** Where it listens. Default: 127.0.0.1, a free port. */
  readonly host?: string
  readonly port?: number
}

/** A TCP proxy in front of a server, which does harm when a test says so. */
export interface FaultProxy {
  readonly host: string
  readonly port: number
  /** Faults that happened so far. */
  readonly faults: number
  /** Bytes that passed so far, of all connections. */
  readonly bytes: { readonly up: number; readonly down: number }
  /** From now on, also for connections that are open; `undefined`: none. */
  set(fault: Fault | undefined): void
  /** Ends all open connections at once with RST; new ones are accepted. */
  cut(): void
  close(): Promise<void>
}

type Direction = 'up' | 'down'

/** Starts a proxy in this process; close it before its server. */
export async function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const { to, host = '127.0.0.1', port = 0 } = options
  const bytes = { up: 0, down: 0 }
  const open = new Set<Connection>()
  let fault: Fault | undefined
  let left = 0
  let faults = 0

  /** The fault that this connection meets; it keeps it, others have one less. */
  function take(connection: Connection): Fault | undefined {
    if (connection.fault) return connection.fault
    if (!fault || left === 0) return undefined
    left--
    faults++
    return (connection.fault = fault)
  }

  async function forward(connection: Connection, direction: Direction): Promise<void> {
    const [from, into] =
      direction === 'up' ? [connection.client, connection.server] : [connection.server, connection.client]
    let passed = 0
    for await (const chunk of from as AsyncIterable<Buffer>) {
      const waiting = connection.fault ?? (left > 0 ? fault : undefined)
      const concerns = waiting && (waiting.direction ?? 'up') === direction
      const room = concerns ? Math.max(0, (waiting.afterBytes ?? 0) - passed) : Infinity
      const before = chunk.subarray(0, room)
      const rest = chunk.subarray(room)
      passed += chunk.length
      await write(into, before, direction)
      if (concerns && passed >= (waiting.afterBytes ?? 0)) await harm(connection, rest, into, direction)
      else await write(into, rest, direction)
      // Both directions of a black hole are silent.
      if (connection.fault?.kind === 'blackhole') await connection.ended
    }
    into.end()
  }

  async function harm(connection: Connection, rest: Buffer, into: Socket, direction: Direction): Promise<void> {
    const { kind, bytesPerSecond = 1024 } = take(connection) ?? {}
    if (kind === 'reset') connection.reset()
    else if (kind === 'fin') connection.end()
    else if (kind === 'blackhole') await connection.ended
    else if (kind === 'slow') {
      const piece = Math.max(1, Math.ceil(bytesPerSecond / 20))
      for (let at = 0; at < rest.length; at += piece) {
        await write(into, rest.subarray(at, at + piece), direction)
        await Promise.race([sleep(50, undefined, { ref: false }), connection.ended])
      }
    } else await write(into, rest, direction)
  }

  async function write(into: Socket, chunk: Buffer, direction: Direction): Promise<void> {
    if (chunk.length === 0) return
    bytes[direction] += chunk.length
    if (!into.write(chunk) && !into.destroyed) await Promise.race([once(into, 'drain'), once(into, 'close')])
  }

  const server: Server = createServer({ allowHalfOpen: true }, (client) => {
    const connection = new Connection(client, connect({ port: to, host: '127.0.0.1', allowHalfOpen: true }))
    open.add(connection)
    void connection.ended.then(() => open.delete(connection))
    for (const direction of ['up', 'down'] as const) forward(connection, direction).catch(() => connection.reset())
  })
  server.listen(port, host)
  await once(server, 'listening')

  return {
    host,
    port: (server.address() as AddressInfo).port,
    bytes,
    get faults() {
      return faults
    },
    set(next) {
      fault = next
      left = next ? (next.times ?? 1) : 0
    },
    cut() {
      for (const connection of open) connection.reset()
    },
    async close() {
      server.close()
      for (const connection of open) connection.reset()
      await once(server, 'close')
    },
  }
}

/** A client, and the proxy's own connection to the server. */
class Connection {
  readonly client: Socket
  readonly server: Socket
  /** Resolves when both are closed. */
  readonly ended: Promise<void>
  /** What it met. */
  fault: Fault | undefined

  constructor(client: Socket, server: Socket) {
    this.client = client
    this.server = server
    for (const socket of [client, server]) socket.setNoDelay(true).on('error', () => this.reset())
    const closed = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()))
    this.ended = Promise.all([closed(client), closed(server)]).then(() => undefined)
  }

  reset(): void {
    this.client.resetAndDestroy()
    this.server.resetAndDestroy()
  }

  /** Both sides see an orderly end; what still comes is dropped. */
  end(): void {
    for (const socket of [this.client, this.server]) socket.end(() => socket.destroy())
  }
}
