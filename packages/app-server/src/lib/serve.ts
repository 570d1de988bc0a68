import { once } from 'node:events'
import type { RequestListener, Server } from 'node:http'
import {
  createServer as createSocketServer,
  type AddressInfo,
  type Server as SocketServer,
  type Socket,
} from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { answerClientErrors, sendRefusal, whyMalformed } from '@steward/rest-koa'
import type Koa from 'koa'
import { SettingsError } from './settings.js'

// To import it would load its WebSocket as well, which takes a tenth of the CPU time of a start.
const { createServer } = process.getBuiltinModule('node:http')

export interface ListenOptions {
  readonly host: string
  /** 0: a free one. */
  readonly port: number
  /** Files of Unix sockets that listen already: requests are taken there, too. */
  readonly inherited?: readonly number[]
  /** How long running requests may take to finish when the server stops, in ms. Default 10,000. */
  readonly graceMs?: number
  /**
   * How long a connection may wait for its next request, in ms. Default 75,000: longer than reverse proxies keep theirs
   * (60 s mostly), so that these end them first, and longer than a save may pause the application.
   */
  readonly keepAliveMs?: number
}

export interface Listener {
  readonly port: number
  /** Answers by this application from now on; before, requests get 503. */
  serve(koa: Koa): void
  /** Takes no new requests, lets running ones finish, and cuts what is left after the grace time. */
  stop(): Promise<void>
}

/** How long a connection may stay without a byte in either direction, in ms: a client that stops reading holds a snapshot of the database. */
const silenceMs = 300_000

/**
 * Takes the address, before anything is done that a taken one would spoil.
 *
 * @throws SettingsError when the address cannot be used.
 */
export async function listen({
  host,
  port,
  inherited = [],
  graceMs = 10_000,
  keepAliveMs = 75_000,
}: ListenOptions): Promise<Listener> {
  let stopping: Promise<void> | undefined
  let handler: (...parameters: Parameters<RequestListener>) => unknown = answerStarting
  const server = createServer((request, response) => {
    if (stopping) response.shouldKeepAlive = false
    const wrong = whyMalformed(request)
    if (wrong === undefined) void handler(request, response)
    else sendRefusal(response, 'ERR_BAD_REQUEST', wrong)
  })
  answerClientErrors(server)
  server.timeout = silenceMs
  server.keepAliveTimeout = keepAliveMs
  server.headersTimeout = keepAliveMs + 5000
  server.on('timeout', (socket: Socket) => void endUnlessBusy(socket))
  await bind(server, host, port)
  const sockets = await Promise.all(inherited.map((fd) => acceptFrom(fd, server))).catch((error: unknown) => {
    server.close()
    throw error
  })
  return {
    port: (server.address() as AddressInfo).port,
    serve(koa) {
      handler = koa.callback()
    },
    stop: () => (stopping ??= stop(server, sockets, graceMs)),
  }
}

const starting = JSON.stringify({
  error: 'The application is starting; try again.',
  status: 503,
  code: 'ERR_UNAVAILABLE',
  messages: [],
})

const answerStarting: RequestListener = (_request, response) => {
  response.writeHead(503, { 'Content-Type': 'application/json; charset=utf-8', 'Retry-After': '2' }).end(starting)
}

function bind(server: Server, host: string, port: number): Promise<void> {
  return new Promise((done, fail) => {
    server.once('error', (error: NodeJS.ErrnoException) => fail(explain(error, host, port)))
    server.listen(port, host, done)
  })
}

function explain(error: NodeJS.ErrnoException, host: string, port: number): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new SettingsError(`Port ${port} on ${host} is taken; choose another with --port or STEWARD_PORT.`, {
        cause: error,
      })
    case 'EACCES':
      return new SettingsError(`Port ${port} needs more rights; choose one above 1023 with --port or STEWARD_PORT.`, {
        cause: error,
      })
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new SettingsError(`This machine has no address ${host}; choose another with --host or STEWARD_HOST.`, {
        cause: error,
      })
    default:
      return error
  }
}

/** Clients of a Unix socket are programs of this machine, as those of 127.0.0.1. */
async function acceptFrom(fd: number, server: Server): Promise<SocketServer> {
  const sockets = createSocketServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    Object.defineProperty(socket, 'remoteAddress', { value: '127.0.0.1' })
    server.emit('connection', socket)
  })
  sockets.listen({ fd })
  await once(sockets, 'listening').catch((cause: unknown) => {
    throw new SettingsError(`LISTEN_FDS names file ${fd}, which is not a socket that listens.`, { cause })
  })
  return sockets
}

/** After a pause of the process its timers come first, before it has read what came meanwhile. */
async function endUnlessBusy(socket: Socket): Promise<void> {
  const { bytesRead, writableLength } = socket
  await turn()
  if (socket.bytesRead === bytesRead && socket.writableLength === writableLength) socket.destroy()
}

async function stop(server: Server, sockets: readonly SocketServer[], graceMs: number): Promise<void> {
  // Connections that were made, and then requests that were sent, before it was asked to stop.
  await turn()
  await turn()
  for (const each of sockets) each.close()
  const closed = new Promise<void>((done) => server.close(() => done()))
  // Connections that wait for their next request would keep the server open.
  server.closeIdleConnections()
  const idle = setInterval(() => setImmediate(() => server.closeIdleConnections()), 50)
  const end = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  clearInterval(idle)
  clearTimeout(end)
}
