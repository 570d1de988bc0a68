import type { IncomingMessage, Server, ServerOptions } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'

/** For HTTP and HTTPS: what a client may take of the server before it is known. */
export const serverLimits = Object.freeze({
  maxHeaderSize: 16_384,
  /** Who sends its headers slower than in this time, keeps a connection for nothing. In ms. */
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1000,
  /** Longer than the 60 s of nginx, so that no request of it meets a connection that is being closed. */
  keepAliveTimeout: 65_000,
}) satisfies ServerOptions

/** One that sends or reads nothing for this long is disconnected, in ms. */
const idleMs = 120_000
/** Not specified; chosen below the 10,000 open files that systems give at least, with room for others. */
const mostConnections = 5000

/**
 * How long a refused client may keep sending before its socket is destroyed, in ms; as nginx does. What it sends is
 * thrown away: a socket that is destroyed with unread bytes takes the answer back that the client has not read yet.
 */
const usualLingerMs = 5000

export interface LimitOptions {
  /** Default: 5000. */
  readonly lingerMs?: number
}

/** Sets what options cannot, and answers what is no HTTP. */
export function limitServer(server: Server, { lingerMs = usualLingerMs }: LimitOptions = {}): void {
  server.timeout = idleMs
  server.maxConnections = mostConnections
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => void answer(error, socket as HttpSocket, lingerMs))
}

/** While its answer is made a client has nothing to read; from then on it is expected to. */
export function expectReader(request: IncomingMessage, isAnswered: boolean): void {
  request.socket.setTimeout(isAnswered ? idleMs : 0)
}

const reasons: Readonly<Record<string, readonly [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request came too slowly.'],
}

/** What Node keeps of a connection. No parser: it speaks another protocol now, or is closed. */
interface HttpSocket extends Socket {
  readonly parser?: { readonly incoming: IncomingMessage | null } | null
  readonly _httpMessage?: { readonly headersSent: boolean } | null
}

async function answer(error: NodeJS.ErrnoException, socket: HttpSocket, lingerMs: number): Promise<void> {
  if (error.code !== 'ERR_HTTP_REQUEST_TIMEOUT' || !(await cameInTime(socket))) refuse(error, socket, lingerMs)
}

/**
 * Whether the request is here although its time is over: after a pause of the process its timers come first, before it
 * has read what clients sent meanwhile.
 */
async function cameInTime(socket: HttpSocket): Promise<boolean> {
  const { bytesWritten, parser } = socket
  const last = parser?.incoming
  const lackingBody = last?.complete === false ? last : undefined
  const isComplete = () => {
    if (!socket.parser) return true
    if (lackingBody) return lackingBody.complete
    const { incoming } = socket.parser
    // One that was answered at once is gone again.
    return socket.bytesWritten !== bytesWritten || (incoming !== last && incoming?.complete === true)
  }
  // One turn of the loop reads 2 MB at most; who sends without end has had its time.
  for (let turns = 0, bytesRead = -1; turns < 50 && bytesRead !== socket.bytesRead && !isComplete(); turns++) {
    bytesRead = socket.bytesRead
    await turn()
  }
  return isComplete()
}

const refused = new WeakSet<Socket>()

function refuse({ code = '' }: NodeJS.ErrnoException, socket: HttpSocket, lingerMs: number): void {
  // The parser fails again with each piece that it gets.
  if (refused.has(socket)) return
  refused.add(socket)
  // It is not read, or half an answer was sent already.
  if (code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent) return void socket.destroy()
  const [status, message] = reasons[code] ?? ['400 Bad Request', 'This is not an HTTP request.']
  const body = JSON.stringify({ status: 2, message, code: 'ERR_USAGE' })
  // Else the parser would take what comes now for a request.
  socket
    .removeAllListeners('data')
    .on('data', () => {})
    .resume()
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  // One that neither closes nor stops sending would keep it: no timeout applies to a socket that was ended.
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(timer))
}
