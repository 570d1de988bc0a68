import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

export interface UnusedOptions {
  /** How long to wait at most, in ms. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Called when their number changes. */
  readonly onChange?: (connections: number) => void
}

/** States in `/proc/net/tcp`: established, being established, and those of which only the caller's half is closed. */
const openStates: ReadonlySet<string> = new Set(['01', '03', '08'])
const pollMs = 20

/**
 * Waits until no client is connected to a port of 127.0.0.1 any more to which nothing new is sent.
 *
 * @returns how many connections are left when the time is over
 */
export async function unused(port: number, { timeoutMs, signal, onChange }: UnusedOptions): Promise<number> {
  const begin = performance.now()
  let told = 0
  for (;;) {
    const count = connectionsTo(port)
    if (count !== told) onChange?.((told = count))
    if (count === 0 || performance.now() - begin >= timeoutMs) return count
    await sleep(pollMs, undefined, { signal })
  }
}

/** Connections that a port of 127.0.0.1 has with its callers. */
export function connectionsTo(port: number): number {
  const local = addressText(port)
  return openConnections().filter(([address]) => address === local).length
}

/** Whether a client is connected to a port of 127.0.0.1: also when the server has a network of its own. */
export function isPortUsed(port: number): boolean {
  const used = addressText(port)
  return openConnections().some(([local, remote]) => local === used || remote === used)
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
