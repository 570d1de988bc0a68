import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type Koa from 'koa'
import { SettingsError } from './settings.js'

export interface ServeOptions {
  readonly host: string
  /** 0: a free one. */
  readonly port: number
  /** How long running requests may take to finish when the server stops, in ms. Default 10,000. */
  readonly graceMs?: number
}

export interface RunningServer {
  readonly port: number
  /** Takes no new requests, lets running ones finish, and cuts what is left after the grace time. */
  stop(): Promise<void>
}

/** Serves an application. @throws SettingsError when the address cannot be used. */
export async function serve(koa: Koa, { host, port, graceMs = 10_000 }: ServeOptions): Promise<RunningServer> {
  const server = createServer(koa.callback())
  await listen(server, host, port)
  let stopping: Promise<void> | undefined
  return {
    port: (server.address() as AddressInfo).port,
    stop: () => (stopping ??= stop(server, graceMs)),
  }
}

function listen(server: Server, host: string, port: number): Promise<void> {
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

async function stop(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((done) => server.close(() => done()))
  // Connections that wait for their next request would keep the server open.
  server.closeIdleConnections()
  const idle = setInterval(() => server.closeIdleConnections(), 50)
  const end = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  clearInterval(idle)
  clearTimeout(end)
}
