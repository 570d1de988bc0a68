import { randomBytes } from 'node:crypto'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { squat } from '../../../../manager-core/src/lib/testing/squat.js'
import { createWaker, type Sleeper, type Waker, type WakerOptions } from './create-waker.js'

let server: Server | undefined
let waker: Waker | undefined
afterEach(async () => {
  await waker?.close()
  server?.close()
})

/** An instance whose port is `port`, which echoes all that comes after the head of a request. */
async function instance(): Promise<number> {
  server = createServer(
    { allowHalfOpen: true },
    (socket) => void socket.on('error', () => socket.destroy()).pipe(socket),
  )
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

async function start(options: Partial<WakerOptions> & Pick<WakerOptions, 'look'>): Promise<() => Socket> {
  const nothing = async () => {}
  waker = createWaker({ wake: nothing, recover: nothing, patienceMs: () => 60_000, ...options })
  const port = Number((await waker.listen()).split(':')[1])
  return () => connect({ host: '127.0.0.1', port, allowHalfOpen: true }).on('error', () => {})
}

const head = 'GET / HTTP/1.1\r\nHost: a\r\nx-steward-instance: demo1234\r\n\r\n'
const text = async (socket: Socket) => (await buffer(socket)).toString('latin1')
const owner = { uids: [process.getuid?.() ?? 0] }
const awake = (port: number): Sleeper => ({ port, owner, asleep: false, changing: false })

it('passes bytes as they come, both ways, until both sides have ended', async () => {
  const port = await instance()
  const open = await start({ look: () => awake(port) })
  const socket = open()
  const bytes = randomBytes(3_000_000)
  const all = buffer(socket)
  for (const byte of Buffer.from(head)) socket.write(Buffer.of(byte))
  socket.end(bytes)
  expect((await all).equals(Buffer.concat([Buffer.from(head), bytes]))).toBe(true)
  await vi.waitUntil(() => waker?.idleSince('demo1234') !== undefined, { timeout: 60_000 })
  expect(waker?.isUsed('demo1234')).toBe(false)
})

it('lets all wait until it is awake', async () => {
  const port = await instance()
  const { promise, resolve } = Promise.withResolvers<void>()
  let asleep = true
  const open = await start({ look: () => ({ ...awake(port), asleep }), wake: () => promise })
  const answers = Array.from({ length: 20 }, () => {
    const socket = open()
    socket.end(head)
    return text(socket)
  })
  await vi.waitUntil(() => waker?.isUsed('demo1234'), { timeout: 60_000 })
  expect(waker?.hold('demo1234')).toBeUndefined()
  asleep = false
  resolve()
  expect(await Promise.all(answers)).toEqual(answers.map(() => head))
})

it('lets requests that come while it falls asleep wait', async () => {
  const port = await instance()
  let asleep = false
  const wake = vi.fn<() => Promise<void>>(async () => void (asleep = false))
  const open = await start({ look: () => ({ ...awake(port), asleep }), wake })
  const release = waker?.hold('demo1234')
  const socket = open()
  socket.end(head)
  const answer = text(socket)
  await vi.waitUntil(() => waker?.isUsed('demo1234'), { timeout: 60_000 })
  asleep = true
  release?.()
  expect(await answer).toBe(head)
  expect(wake).toHaveBeenCalledTimes(1)
})

it.each([
  ['its time is over', { patienceMs: () => 20, wake: () => new Promise<void>(() => {}) }, 'could not be woken in time'],
  ['it does not wake', { wake: () => Promise.reject(new Error('no')) }, 'could not be woken in time'],
  ['too many wait', { mostWaiting: 0 }, 'Too many requests wait'],
  ['it is stopped', { look: (): undefined => undefined }, 'It is stopped.'],
  ['it has crashed', { look: () => awake(1) }, 'It does not answer at the moment.'],
] as const)('says so when %s', async (_when, options, message) => {
  const open = await start({ look: () => ({ ...awake(1), asleep: true }), ...options })
  const socket = open()
  // More than the system keeps for a reader that is not there.
  socket.write(head)
  socket.end(Buffer.alloc(8_000_000))
  const answer = await text(socket)
  expect(answer).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/)
  expect(answer).toContain('\r\nRetry-After: 5\r\n')
  expect(answer).toContain(message)
})

it.runIf(process.getuid?.() === 0)('passes nothing to a program of another user', async () => {
  const port = await instance()
  server?.close()
  const squatter = await squat(port, 65_534)
  onTestFinished(() => squatter.close())
  const open = await start({ look: () => awake(port) })
  const socket = open()
  socket.end(head)
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 503 /)
  expect(squatter.received()).toBe('')
})

it('brings to an end what a dead manager left', async () => {
  const port = await instance()
  let found: Sleeper = { port: 1, owner, asleep: false, changing: true }
  const open = await start({ look: () => found, recover: async () => void (found = awake(port)) })
  const socket = open()
  socket.end(head)
  expect(await text(socket)).toBe(head)
})

it('refuses what names no instance, and heads without end', async () => {
  const open = await start({ look: () => awake(1) })
  const nameless = open()
  nameless.end('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  expect(await text(nameless)).toMatch(/^HTTP\/1\.1 400 /)
  const endless = open()
  endless.write(Buffer.alloc(100_000, 'x'))
  endless.resume()
  await new Promise((resolve) => endless.once('end', resolve).once('close', resolve))
})
