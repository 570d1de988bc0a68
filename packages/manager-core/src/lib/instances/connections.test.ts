import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { connectionsTo, unused } from './connections.js'

test('connections to a port are counted until both ends are closed, and waited for', async () => {
  const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  expect(connectionsTo(port)).toBe(0)
  const accepted = once(server, 'connection')
  const client = connect(port, '127.0.0.1')
  const [socket] = (await accepted) as [Socket]
  expect(connectionsTo(port)).toBe(1)
  // Its caller has said all, and still waits for the answer.
  client.end()
  await once(socket.resume(), 'end')
  expect(connectionsTo(port)).toBe(1)
  const { signal } = new AbortController()
  const told: number[] = []
  expect(await unused(port, { timeoutMs: 50, signal, onChange: (count) => told.push(count) })).toBe(1)
  const waiting = unused(port, { timeoutMs: 20_000, signal, onChange: (count) => told.push(count) })
  socket.end()
  expect(await waiting).toBe(0)
  expect(told).toEqual([1, 1, 0])
  await expect(unused(port, { timeoutMs: 1000, signal: AbortSignal.abort() })).resolves.toBe(0)
})
