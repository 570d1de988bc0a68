import { createServer } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { limitServer, serverLimits } from './server-limits.js'

it('limitServer() destroys the sockets of clients that go on sending after 408 and never close', async () => {
  const limits = { ...serverLimits, headersTimeout: 200, connectionsCheckingInterval: 50 }
  const server = createServer(limits, (_request, response) => response.end())
  limitServer(server, { lingerMs: 100 })
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const clients = Array.from({ length: 20 }, () => {
    const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    client.on('error', () => {})
    client.write('GET /api HTTP/1.1\r\nHost: x\r\n')
    let answer = ''
    client.setEncoding('utf8').on('data', (text: string) => (answer += text))
    const timer = setInterval(() => client.write('X-Slow: a\r\n'), 20)
    onTestFinished(() => {
      clearInterval(timer)
      client.destroy()
    })
    return () => answer
  })
  onTestFinished(() => void server.close())
  await expect.poll(() => clients.every((answer) => answer().startsWith('HTTP/1.1 408 '))).toBe(true)
  await expect.poll(() => sockets.size).toBe(0)
})
