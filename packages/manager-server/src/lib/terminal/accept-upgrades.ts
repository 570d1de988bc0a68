import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'

/**
 * WebSockets go to `upgrade`. Who only offers another protocol (`h2c`, as clients in Java do) gets its answer over HTTP/1.1,
 * as if it had not (RFC 9110, 7.8); before Node 24.9 such requests are refused.
 */
export function acceptUpgrades(
  server: Server,
  upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void,
): void {
  server.on('upgrade', upgrade)
  Object.assign(server, { shouldUpgradeCallback: isWebSocket })
}

function isWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket'
}
