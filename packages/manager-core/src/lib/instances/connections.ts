import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Where an instance takes requests. */
export interface TakesRequests {
  /** At 127.0.0.1. */
  readonly port: number
  /** Path of a Unix socket, which need not be there. */
  readonly socket: string
}

export interface UnusedOptions {
  /** How long to wait at most, in ms. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Called when their number changes. */
  readonly onChange?: (connections: number) => void
}

/** States in `/proc/net/tcp`: established, being established, and those of which only the caller's half is closed. */
const openStates: ReadonlySet<string> = new Set(['01', '03', '08'])
/** State in `/proc/net/unix`: also of a connection that its program has not accepted yet. */
const connected = '03'
/** Between two looks, in ms: the kernel walks a large table for each. */
const [firstPauseMs, longestPauseMs] = [20, 250]

/**
 * Waits until no client is connected any more to a place where nothing new is sent.
 *
 * @returns how many connections are left when the time is over
 */
export async function unused(place: TakesRequests, { timeoutMs, signal, onChange }: UnusedOptions): Promise<number> {
  const begin = performance.now()
  let told = 0
  for (let pause = firstPauseMs; ; pause = Math.min(pause * 1.5, longestPauseMs)) {
    const count = connectionsTo(place)
    if (count !== told) onChange?.((told = count))
    if (count === 0 || performance.now() - begin >= timeoutMs) return count
    await sleep(pause, undefined, { signal })
  }
}

/** Connections that the place has with its callers. */
export function connectionsTo({ port, socket }: TakesRequests): number {
  const local = addressText(port)
  return openConnections().filter(([address]) => address === local).length + connectionsToSocket(socket)
}

/** Whether a client is connected: also when the server has a network of its own. */
export function isUsed({ port, socket }: TakesRequests): boolean {
  const used = addressText(port)
  return (
    openConnections().some(([local, remote]) => local === used || remote === used) || connectionsToSocket(socket) > 0
  )
}

/** Connections have the name at which the socket was made, before it got its own: that with a suffix. */
function connectionsToSocket(socket: string): number {
  return readFileSync('/proc/net/unix', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(
      ([, , , , , state, , path = '']) => state === connected && (path === socket || path.startsWith(`${socket}.`)),
    ).length
}

function addressText(port: number): string {
  return `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`
}

function openConnections(): readonly (readonly [local: string, remote: string])[] {
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .flatMap(([, local = '', remote = '', state = '']) => (openStates.has(state) ? [[local, remote] as const] : []))
}
