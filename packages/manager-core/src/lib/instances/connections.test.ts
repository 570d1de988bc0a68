import { once } from 'node:events'
import { mkdtempSync, renameSync, rmSync } from 'node:fs'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { connectionsTo, isUsed, unused } from './connections.js'

test('connections to a port are counted until both ends are closed, and waited for', async () => {
  const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const place = { port, socket: '/run/none.sock' }
  expect(connectionsTo(place)).toBe(0)
  const accepted = once(server, 'connection')
  const client = connect(port, '127.0.0.1')
  const [socket] = (await accepted) as [Socket]
  expect(connectionsTo(place)).toBe(1)
  // Its caller has said all, and still waits for the answer.
  client.end()
  await once(socket.resume(), 'end')
  expect(connectionsTo(place)).toBe(1)
  const { signal } = new AbortController()
  const told: number[] = []
  expect(await unused(place, { timeoutMs: 50, signal, onChange: (count) => told.push(count) })).toBe(1)
  const waiting = unused(place, { timeoutMs: 20_000, signal, onChange: (count) => told.push(count) })
  socket.end()
  expect(await waiting).toBe(0)
  expect(told).toEqual([1, 1, 0])
  await expect(unused(place, { timeoutMs: 1000, signal: AbortSignal.abort() })).resolves.toBe(0)
})

test('connections to a socket are counted under the name that it got later, also before they are accepted', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-connections-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const socket = join(folder, 'a.sock')
  const place = { port: 1, socket }
  const server = createServer().listen(`${socket}.1`)
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  renameSync(`${socket}.1`, socket)
  expect([connectionsTo(place), isUsed(place)]).toEqual([0, false])
  const accepted = once(server, 'connection')
  const client = connect(socket)
  await once(client, 'connect')
  expect([connectionsTo(place), isUsed(place)]).toEqual([1, true])
  const [other] = (await accepted) as [Socket]
  expect(connectionsTo(place)).toBe(1)
  expect(connectionsTo({ port: 1, socket: join(folder, 'b.sock') })).toBe(0)
  client.end()
  other.end()
  await Promise.all([once(other.resume(), 'close'), once(client.resume(), 'close')])
  expect(connectionsTo(place)).toBe(0)
})
