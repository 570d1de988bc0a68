import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { STATUS_CODES } from 'node:http'
import { statusOf } from '@steward/rest-core/errors'
import type { ErrorCode } from '@steward/rest-core/errors'

/** How long a client gets to take the answer before its connection is cut. */
const lingerMs = 1000

/**
 * Has a server of Node answer in the error form of the API what never becomes a request: headers that are too large (431)
 * or come too slowly (408), what is no HTTP (400), an `Expect` that nobody can meet (417). Without it these answers have
 * no body.
 *
 * @example
 * const server = createServer(app.callback())
 * answerClientErrors(server)
 */
export function answerClientErrors(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => answer(error, socket as Socket))
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

const refused = new WeakSet<Socket>()

function answer(error: NodeJS.ErrnoException, socket: Socket): void {
  // The parser fails again with each piece that it gets.
  if (refused.has(socket)) return
  refused.add(socket)
  // An answer that has begun would be mixed up with this one.
  const { _httpMessage: running } = socket as { _httpMessage?: { headersSent: boolean } }
  if (error.code === 'ECONNRESET' || !socket.writable || running?.headersSent) return void socket.destroy()
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
  return JSON.stringify({ error: text, status: statusOf[code], code, messages: [] })
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
