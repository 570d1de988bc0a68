import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'

/** Stands in for an instance or the manager: reports what reached it. */
export interface Backend {
  readonly port: number
  /** Lets the streams of `/events` continue. */
  send(text: string): void
  close(): Promise<void>
}

/** What it answers to most requests, as JSON. */
export interface Echo {
  readonly name: string
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: number
}

/** `/redirect?to=`, `/cookie?path=`, both also below another path, `/events` (SSE), `/large?bytes=`, `/slow?ms=`; upgraded connections get back what they send. @param port default: a free one */
export async function startBackend(name: string, port = 0): Promise<Backend> {
  const streams = new Set<(text: string) => void>()
  const sockets = new Set<Duplex>()
  const server: Server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    let bytes = 0
    for await (const chunk of request) bytes += (chunk as Buffer).length
    if (pathname === '/events') {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('data: first\n\n')
      const send = (text: string) => response.write(`data: ${text}\n\n`)
      streams.add(send)
      response.once('close', () => streams.delete(send))
      return
    }
    if (pathname === '/large') {
      response.writeHead(200, { 'Content-Type': 'application/octet-stream' })
      const block = Buffer.alloc(65_536)
      for (let left = Number(searchParams.get('bytes')); left > 0; left -= block.length)
        if (!response.write(block)) await new Promise((resolve) => response.once('drain', resolve))
      response.end()
      return
    }
    if (pathname === '/slow') await sleep(Number(searchParams.get('ms')))
    if (pathname.endsWith('/redirect')) {
      response.statusCode = 302
      response.setHeader('Location', searchParams.get('to') ?? '/elsewhere')
    }
    if (pathname.endsWith('/cookie'))
      response.setHeader('Set-Cookie', `session=1; Path=${searchParams.get('path') ?? '/'}; HttpOnly`)
    response.setHeader('Content-Type', 'application/json')
    const { method, url, headers } = request
    response.end(JSON.stringify({ name, method, url, headers, bytes }))
  })
  server.on('upgrade', (request, socket: Duplex) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket)).on('error', () => {})
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n')
    socket.on('data', (data) => socket.write(`${name}:${request.url}:${String(data)}`))
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    send: (text) => streams.forEach((send) => send(text)),
    async close() {
      for (const socket of sockets) socket.destroy()
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}
