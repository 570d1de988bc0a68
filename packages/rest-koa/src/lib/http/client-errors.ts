import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { statusOf } from '@steward/rest-core/errors'
import type { ErrorCode } from '@steward/rest-core/errors'
import type { ErrorBody } from './error-body.js'

/** How long a client gets to take the answer before its connection is cut. */
const lingerMs = 1000

/**
 * Has a server of Node answer in the error form of the API what never becomes a request: headers that are too large (431)
 * or come too slowly (408), what is not HTTP (400), an `Expect` that cannot be met (417). Without it these answers have
 * no body.
 *
 * @example
 * const server = createServer(app.callback())
 * answerClientErrors(server)
 */
export function answerClientErrors(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => void answer(error, socket as HttpSocket))
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    sendRefusal(response, 'ERR_EXPECTATION', 'The only expectation that can be met is "100-continue".')
  })
}

/**
 * Why HTTP wants a request that Node lets through refused, with 400; `undefined`: nothing is wrong. Source: RFC 9112,
 * sections 2.3 and 3.2.
 */
export function whyMalformed({ httpVersionMajor, rawHeaders }: IncomingMessage): string | undefined {
  if (httpVersionMajor < 1) return 'The request line must end with the version of HTTP, e.g. HTTP/1.1.'
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) if (/^host$/i.test(rawHeaders[at] as string)) hosts++
  return hosts > 1 ? 'The request has more than one Host header.' : undefined
}

/** Answers outside of any application, and ends the connection. */
export function sendRefusal(response: ServerResponse, code: ErrorCode, text: string): void {
  const body = bodyOf(code, text)
  response.writeHead(statusOf[code], { ...headersOf(body), Connection: 'close' }).end(body)
}

/** What Node keeps of a connection. No parser: it speaks another protocol now, or is closed. */
interface HttpSocket extends Socket {
  readonly parser?: { readonly incoming: IncomingMessage | null } | null
  readonly _httpMessage?: { readonly headersSent: boolean } | null
}

async function answer(error: NodeJS.ErrnoException, socket: HttpSocket): Promise<void> {
  if (error.code !== 'ERR_HTTP_REQUEST_TIMEOUT' || !(await cameInTime(socket))) refuse(error, socket)
}

/**
 * Whether the request is here although its time is over: after a pause of the process its timers come first, before it
 * has read what clients sent meanwhile. The server of the manager, which shares no package with this one, does the same.
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

function refuse(error: NodeJS.ErrnoException, socket: HttpSocket): void {
  // The parser fails again with each piece that it gets.
  if (refused.has(socket)) return
  refused.add(socket)
  // An answer that has started would be mixed up with this one.
  if (error.code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent) return void socket.destroy()
  const [code, text] = meaningOf(error)
  const status = statusOf[code]
  const body = bodyOf(code, text)
  const headers = Object.entries({ ...headersOf(body), Connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  // A socket that is destroyed with unread bytes takes the answer back that the client has not read yet.
  socket
    .removeAllListeners('data')
    .on('data', () => {})
    .resume()
  const { STATUS_CODES } = process.getBuiltinModule('node:http')
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...headers, '', body].join('\r\n'))
  // A client that keeps sending would never let go of the connection.
  setTimeout(() => socket.destroy(), lingerMs).unref()
}

function meaningOf({ code }: NodeJS.ErrnoException): [ErrorCode, string] {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return [
        'ERR_HEADERS',
        'The address and the headers are too long together. Send long filters in the body of a POST to …/_search.',
      ]
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return ['ERR_TIMEOUT', 'The request did not arrive in time.']
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return ['ERR_TOO_LARGE', 'The chunk extensions of the body are too long.']
    default:
      return ['ERR_BAD_REQUEST', 'The request is not valid HTTP.']
  }
}

function bodyOf(code: ErrorCode, text: string): string {
  const body: ErrorBody = { error: text, status: statusOf[code], code, messages: [] }
  return JSON.stringify(body)
}

function headersOf(body: string): Record<string, string> {
  return {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': `${Buffer.byteLength(body)}`,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': randomUUID(),
  }
}
