import { once } from 'node:events'
import { STATUS_CODES, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Router } from '@koa/router'
import type { Context } from 'koa'
import { WebSocketServer, type WebSocket } from 'ws'
import { createTerminals, type Caller, type Manager } from '@steward/manager-core'
import { ManagerError } from '@steward/manager-core/errors'
import type { Access } from '../access/access.js'
import type { Principal } from '../access/principal.js'
import type { Addressing } from '../addressing.js'
import { createRouter } from '../create-router.js'
import { HttpError } from '../http-error.js'
import type { ServerState } from '../server-state.js'
import { loadPty } from './load-pty.js'
import { runSession, type SessionEnd } from './run-session.js'
import type { TicketAnswer } from './ticket-answer.js'
import { Tickets } from '../access/tickets.js'
import { whileItHolds } from '../access/while-it-holds.js'

export interface TerminalServerOptions {
  readonly manager: Manager
  readonly access: Access
  readonly addressing: Addressing
  /** Called with what went wrong with the server itself. */
  readonly onProblem: (message: string) => void
}

/** Terminals in the browser. Source: docs/spec/instances-manager.md, "What the service does" (web shell at `/term`). */
export interface TerminalServer {
  /** `GET /term`: on to the page. `GET /term/ticket`: a ticket for the socket. */
  readonly router: Router<ServerState>
  /** `/term` as WebSocket, with its protocols `steward.terminal` and the ticket. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Ends all of them. */
  close(): Promise<void>
}

interface Ticket {
  readonly principal: Principal
  readonly caller: Caller
  readonly instance: string | undefined
}

const protocol = 'steward.terminal'
const ticketLifeMs = 30_000
/** Terminals at the same time. Not specified; chosen because each is a person who works. */
const mostSessions = 16
/** How long a socket may take to be closed. */
const closeMs = 2000
/** A paste; pages cut longer ones. */
const maxMessageBytes = 256 * 1024

export function createTerminalServer({
  manager,
  access,
  addressing,
  onProblem,
}: TerminalServerOptions): TerminalServer {
  const terminals = createTerminals(manager.context)
  const tickets = new Tickets<Ticket>({ lifeMs: ticketLifeMs })
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    handleProtocols: () => protocol,
    perMessageDeflate: false,
  })
  const ended = new AbortController()
  const sessions = new Set<Promise<void>>()

  return {
    router: createRouter(addressing)
      .all('terminal', '/term{/}', (koa) => koa.redirect(`${addressing.prefix}/ui/terminal${koa.search}`))
      .all('terminalTicket', '/term/ticket{/}', giveTicket),

    upgrade(request, socket, head) {
      socket.on('error', () => socket.destroy())
      const refused = (status: number) => refuse(socket, status)
      const path = addressing.below(URL.parse(request.url ?? '', 'http://localhost')?.pathname ?? '')
      if (path?.replace(/\/$/, '') !== '/term') return refused(404)
      if (!isOwnOrigin(request.headers, manager.context.settings.global.baseUrl)) return refused(403)
      const [name, secret = ''] = (request.headers['sec-websocket-protocol'] ?? '').split(/\s*,\s*/)
      const ticket = name === protocol ? tickets.redeem(secret) : undefined
      if (!ticket?.principal.holds()) return refused(401)
      if (sessions.size >= mostSessions) return refused(503)
      sockets.handleUpgrade(request, socket, head, (accepted) => {
        // What comes until there is a shell is kept.
        accepted.pause()
        const session = serve(accepted, ticket).finally(() => sessions.delete(session))
        sessions.add(session)
      })
    },

    async close() {
      ended.abort()
      await Promise.all(sessions)
    },
  }

  async function giveTicket(koa: Context): Promise<void> {
    if (koa.method !== 'GET') throw new HttpError(405, 'ERR_USAGE', 'Ask with GET.', { headers: { Allow: 'GET' } })
    koa.set('Cache-Control', 'no-store')
    const principal = await access.authenticate(koa.req)
    access.guard(koa.req, principal, 'terminal')
    const { actor, address, grant } = principal
    const caller: Caller = { actor, surface: 'api', address, grant }
    const { instance } = koa.query
    if (Array.isArray(instance)) throw new HttpError(400, 'ERR_USAGE', '"instance" is given twice.')
    await checkPossible(caller, instance)
    const ticket = tickets.issue({ principal, caller, instance })
    const answer: TicketAnswer = { ticket, protocol }
    koa.body = { status: 0, message: 'A ticket for a terminal; it holds once.', ...answer }
  }

  /** Here a person gets an answer that a page can show; a socket has no place for one. */
  async function checkPossible(caller: Caller, instance: string | undefined): Promise<void> {
    terminals.check(caller, instance)
    await loadPty()
    if (sessions.size < mostSessions) return
    throw new HttpError(503, 'ERR_LIMIT', `There are ${mostSessions} terminals already.`, {
      help: 'Close one of them.',
    })
  }

  async function serve(socket: WebSocket, ticket: Ticket): Promise<void> {
    let end: SessionEnd
    try {
      end = await shell(socket, ticket)
    } catch (error) {
      if (!ManagerError.is(error)) onProblem(`Terminal: ${(error as Error).message}`)
      end = { code: 1011, how: ManagerError.is(error) ? error.message : 'it could not be started' }
    }
    await closeSocket(socket, end)
  }

  async function shell(socket: WebSocket, { principal, caller, instance }: Ticket): Promise<SessionEnd> {
    const { spawn } = await loadPty()
    const { command, environment, ended: told } = await terminals.open(caller, instance)
    let how = 'it could not be started'
    const over = new AbortController()
    const refused = whileItHolds(principal, over.signal)
    try {
      const [program = '', ...args] = command
      const limits = manager.context.settings.global.terminal as { readonly idleMs: number; readonly maxMs: number }
      const pty = spawn(program, args, {
        name: 'xterm-256color',
        cols: 80,
        rows: 24,
        cwd: '/',
        encoding: null,
        env: { ...environment },
      })
      const end = await runSession({ socket, pty, signal: ended.signal, refused, ...limits })
      how = end.how
      return end
    } finally {
      over.abort()
      await told(how)
    }
  }
}

/**
 * Whether a WebSocket was opened by a page of this server: browsers always say which page it was, and attach what the user
 * is logged in with whichever it was. Only the host is compared, as a reverse proxy may speak TLS for us.
 *
 * @param baseUrl APPS_BASEURL: how people reach the server when a reverse proxy does not pass their host on
 */
function isOwnOrigin({ origin, host }: IncomingHttpHeaders, baseUrl: string): boolean {
  const from = URL.parse(origin ?? '')
  if (!from || !/^https?:$/.test(from.protocol)) return false
  return from.host === URL.parse(`${from.protocol}//${host}`)?.host || from.origin === new URL(baseUrl).origin
}

/** Politely; when there is no answer, by force. */
async function closeSocket(socket: WebSocket, { code, how }: SessionEnd): Promise<void> {
  if (socket.readyState === socket.CLOSED) return
  const closed = once(socket, 'close')
  socket.resume()
  socket.close(code, shortened(how))
  const force = setTimeout(() => socket.terminate(), closeMs)
  await closed
  clearTimeout(force)
}

function refuse(socket: Duplex, status: number): void {
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

/** A close frame holds 123 bytes. */
function shortened(text: string): string {
  return Buffer.from(text)
    .toString('utf8', 0, 120)
    .replace(/\uFFFD+$/, '')
}
