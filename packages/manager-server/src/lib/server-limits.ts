import type { IncomingMessage, Server, ServerOptions } from 'node:http'
import type { Duplex } from 'node:stream'

/** Of HTTP and HTTPS: what a client may take of the server before it is known. */
export const serverLimits = Object.freeze({
  maxHeaderSize: 16_384,
  /** Who sends its headers slower than in this time, keeps a connection for nothing. In ms. */
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1000,
  /** Longer than the 60 s of nginx, so that no request of it meets a connection that is being closed. */
  keepAliveTimeout: 65_000,
}) satisfies ServerOptions

/** One that sends or reads nothing for so long is cut off, in ms. */
const idleMs = 120_000
/** Not specified; chosen below the 10,000 open files that systems give at least, with room for others. */
const mostConnections = 5000

/** How long a refused client may take to read why before its socket is destroyed, in ms. */
const usualLingerMs = 1000

export interface LimitOptions {
  /** Default: 1000. */
  readonly lingerMs?: number
}

/** Sets what options cannot, and answers what is no HTTP. */
export function limitServer(server: Server, { lingerMs = usualLingerMs }: LimitOptions = {}): void {
  server.timeout = idleMs
  server.maxConnections = mostConnections
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => refuse(error, socket, lingerMs))
}

/** While its answer is made a client has nothing to read; from then on it is expected to. */
export function expectReader(request: IncomingMessage, isAnswered: boolean): void {
  request.socket.setTimeout(isAnswered ? idleMs : 0)
}

const reasons: Readonly<Record<string, readonly [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request came too slowly.'],
}

function refuse({ code = '' }: NodeJS.ErrnoException, socket: Duplex, lingerMs: number): void {
  // Nobody reads it, or half an answer was sent already.
  if (code === 'ECONNRESET' || !socket.writable || ('bytesWritten' in socket && socket.bytesWritten !== 0))
    return void socket.destroy()
  const [status, message] = reasons[code] ?? ['400 Bad Request', 'This is no HTTP request.']
  const body = JSON.stringify({ status: 2, message, code: 'ERR_USAGE' })
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  // One that neither closes nor stops sending would keep it: no timeout applies to a socket that was ended.
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(timer))
}
