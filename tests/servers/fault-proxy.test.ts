import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startFaultProxy, type FaultProxy } from './fault-proxy.js'

/** Answers each byte with the same byte. */
const echo = createServer((socket) => socket.on('error', () => {}).pipe(socket))
let proxy: FaultProxy

beforeEach(async () => {
  await once(echo.listen(0, '127.0.0.1'), 'listening')
  proxy = await startFaultProxy({ to: (echo.address() as AddressInfo).port })
})

afterEach(async () => {
  await proxy.close()
  echo.close()
})

/** Sends bytes and closes; returns how many came back and how it ended. */
function send(bytes: number, timeoutMs = 10_000): Promise<{ received: number; end: string }> {
  return new Promise((resolve) => {
    let received = 0
    const socket = connect(proxy.port, proxy.host)
    const done = (end: string) => {
      resolve({ received, end })
      socket.destroy()
    }
    socket.on('timeout', () => done('silence'))
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length
      socket.setTimeout(timeoutMs)
    })
    socket.on('error', (error: NodeJS.ErrnoException) => done(error.code ?? 'error'))
    socket.on('end', () => done('end'))
    socket.end(Buffer.alloc(bytes))
  })
}

it('forwards all without a fault', async () => {
  expect(await send(3_000_000)).toEqual({ received: 3_000_000, end: 'end' })
  expect(proxy.bytes).toEqual({ up: 3_000_000, down: 3_000_000 })
})

it('resets the connection after that many bytes, once', async () => {
  proxy.set({ kind: 'reset', afterBytes: 100_000 })
  const { received, end } = await send(1_000_000)
  expect(received).toBeLessThanOrEqual(100_000)
  expect(end).toMatch(/ECONNRESET|EPIPE/)
  expect(proxy.bytes.up).toBe(100_000)
  expect(await send(1_000_000)).toEqual({ received: 1_000_000, end: 'end' })
  expect(proxy.faults).toBe(1)
})

it('ends the answer early and politely', async () => {
  proxy.set({ kind: 'fin', afterBytes: 1000, direction: 'down' })
  expect(await send(5000)).toEqual({ received: 1000, end: 'end' })
})

it('swallows all that comes after that many bytes', async () => {
  proxy.set({ kind: 'blackhole', afterBytes: 1000, direction: 'down' })
  expect(await send(5000, 200)).toEqual({ received: 1000, end: 'silence' })
})

it('slows down, and loses nothing', async () => {
  proxy.set({ kind: 'slow', bytesPerSecond: 20_000 })
  const begin = performance.now()
  expect(await send(4000)).toEqual({ received: 4000, end: 'end' })
  expect(performance.now() - begin).toBeGreaterThan(150)
})
