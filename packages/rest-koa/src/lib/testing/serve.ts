import { createServer } from 'node:http'
import type { Server, ServerOptions } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import type Koa from 'koa'

/** A server on a free port of this machine. */
export interface TestServer {
  readonly url: string
  readonly port: number
  readonly server: Server
  close(): Promise<void>
}

/** Serves an application until `close()`. */
export async function serve(app: Koa, options: ServerOptions = {}): Promise<TestServer> {
  const server = createServer(options, app.callback())
  // On a busy machine a connection may be idle for long, and closed just when the next request is sent over it.
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    server,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** A connection that sends bytes as they are. */
export interface RawConnection {
  readonly socket: Socket
  send(text: string | Buffer): void
  /** All that came so far as soon as it matches. Rejects with what came when the connection ends before. */
  until(pattern: RegExp): Promise<string>
  /** All that came until the server ended the connection. */
  end(): Promise<string>
}

export async function connectTo(port: number): Promise<RawConnection> {
  const socket = connect(port, '127.0.0.1')
  let received = ''
  let ended = false
  let changed = (): void => {}
  socket.setEncoding('latin1')
  socket.on('data', (text: string) => {
    received += text
    changed()
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    ended = true
    changed()
  })
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  return { socket, send: (text) => void socket.write(text), until, end: () => when(() => ended) }

  function until(pattern: RegExp): Promise<string> {
    return when(() => pattern.test(received) || (ended && `the connection ended after: ${received}`))
  }

  function when(test: () => boolean | string): Promise<string> {
    return new Promise((resolve, reject) => {
      changed = () => {
        const state = test()
        if (state === true) resolve(received)
        else if (state) reject(new Error(state))
      }
      changed()
    })
  }
}
