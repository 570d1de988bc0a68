import { existsSync } from 'node:fs'
import type { RequestOptions } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { ManagerError } from '../../errors.js'
import { describeHolder } from './port-holder.js'
import { otherEnd, tcpEnd, tcpStates } from './tcp-table.js'

/** Who answers at a port of 127.0.0.1, so that what it says is believed and secrets may be sent there. */
export interface PortOwner {
  /** Users of its programs. None: it is not known who, and nothing is believed. */
  readonly uids: readonly number[]
  /** Rules of the kernel may pass connections on to another network, where their other end cannot be seen. */
  readonly forwarded?: boolean
}

export interface OwnedPort {
  readonly port: number
  readonly owner: PortOwner
}

export interface ConnectOptions {
  readonly signal?: AbortSignal
  /** As of `net.connect`. */
  readonly allowHalfOpen?: boolean
}

const address = '127.0.0.1'
/**
 * How often the other end is looked for: that this machine must have (about 1.5 s), that of a forwarded connection, and that
 * which its program has not accepted yet (about a minute).
 */
const looks = 16
const looksForwarded = 4
const looksUnaccepted = 250

/** Thrown when another user's program answers, before anything was sent. */
export class ForeignPortError extends ManagerError {}

/**
 * Connects to a port of 127.0.0.1, and looks who has the other end of this very connection: a program that takes the port before
 * or afterwards changes nothing. Nothing is sent before. Only Linux shows it; elsewhere any program is believed.
 *
 * @throws ForeignPortError when it belongs to another user, or to one that is not known; Error when nothing listens
 */
export async function connectToOwner(
  { port, owner }: OwnedPort,
  { signal, allowHalfOpen = false }: ConnectOptions = {},
): Promise<Socket> {
  signal?.throwIfAborted()
  const socket = connect({ host: address, port, allowHalfOpen, noDelay: true, ...(signal && { signal }) })
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve).once('error', reject)
  })
  // A failure while the other end is looked for is thrown afterwards.
  let failure: Error | undefined
  const note = (error: Error) => (failure = error)
  socket.on('error', note)
  try {
    await assertOwner(socket, { port, owner }, signal)
    // A request that gets a closed one waits forever: nothing more is emitted of it.
    if (socket.destroyed) throw failure ?? closed(port)
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    if (!socket.destroyed) socket.off('error', note)
  }
}

/** `createConnection` of a request of `node:http` without an agent: to the owner of a port, or to none. */
export function toOwner(place: OwnedPort, signal?: AbortSignal): NonNullable<RequestOptions['createConnection']> {
  return (_options, created) => {
    connectToOwner(place, signal && { signal }).then(
      (socket) => created(null, socket),
      (error: Error) => created(error, undefined as never),
    )
    return undefined
  }
}

async function assertOwner(socket: Socket, { port, owner }: OwnedPort, signal: AbortSignal | undefined): Promise<void> {
  if (!existsSync('/proc/net/tcp')) return
  const end = { local: tcpEnd(address, socket.localPort ?? 0), remote: tcpEnd(address, port) }
  for (let look = 1, pause = 2; ; look++, pause = Math.min(pause * 1.5, 250)) {
    const other = await otherEnd(end)
    const isOpen = other?.state === tcpStates.established
    // Until a process accepts it, older kernels show root for each of them.
    const isKnown = isOpen && (other.inode !== '0' || other.uid !== 0)
    if (isKnown && owner.uids.includes(other.uid)) return
    if (isKnown) throw foreign(port, owner, other.uid)
    if (!other && owner.forwarded && look >= looksForwarded) return
    // One that is closing again has no owner any longer.
    if (look >= (isOpen ? looksUnaccepted : looks))
      throw socket.destroyed ? closed(port) : foreign(port, owner, undefined)
    await sleep(pause, undefined, signal && { signal })
  }
}

function closed(port: number): Error {
  return Object.assign(new Error(`The program at ${address}:${port} closed the connection.`), { code: 'ECONNRESET' })
}

function foreign(port: number, { uids }: PortOwner, uid: number | undefined): ForeignPortError {
  const expected = uids.length === 0 ? 'an account that cannot be read' : `user ${uids.join(' or ')}`
  return new ForeignPortError(
    'ERR_STATE',
    uid === undefined
      ? `The program that answers at 127.0.0.1:${port} cannot be identified; expected: ${expected}.`
      : `Port ${port} is used by a program of user ${uid}${describeHolder(port)}, not of ${expected}.`,
    { help: `Nothing was sent to it. Stop the program that listens on 127.0.0.1:${port}.` },
  )
}
