import { chmodSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo, type ListenOptions, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectToOwner, type OwnedPort } from '@steward/manager-core'
import { closeSockets } from './close-sockets.js'
import { readHead } from './read-head.js'

export interface WakerOptions {
  /** @returns undefined: there is none of this id, or it is to be stopped. */
  readonly look: (id: string) => Sleeper | undefined
  /** Wakes it when it sleeps. Rejects when it cannot be woken now. */
  readonly wake: (id: string) => Promise<void>
  /** Brings to an end what dead owners left. */
  readonly recover: () => Promise<void>
  /** How long a request may wait, in ms. */
  readonly patienceMs: () => number
  /** How many may wait for one instance. Default 1000. */
  readonly mostWaiting?: number
}

/** What the waker knows of an instance. */
export interface Sleeper extends OwnedPort {
  readonly asleep: boolean
  /** An operation is at it, or was left. */
  readonly changing: boolean
}

/**
 * Passes connections on to instances, and has those woken that sleep. It reads no more than the head of the first request,
 * and then passes bytes: WebSockets, streams and bodies of any size go through. Reverse proxies open a connection for each
 * request, so that a connection is a request.
 */
export interface Waker {
  /**
   * On that port of 127.0.0.1 when it is free, or at a Unix socket of that path in place of one that is there.
   *
   * @returns `127.0.0.1:<port>`, or `unix:<path>`
   */
  listen(at?: number | string): Promise<string>
  /** Since when no client is connected to an instance, by `performance.now()`; undefined: one is, or none ever was. */
  idleSince(id: string): number | undefined
  isUsed(id: string): boolean
  /** Requests wait until it is called. @returns undefined: a client is connected */
  hold(id: string): (() => void) | undefined
  /** Lets answers come to their end for a short time. */
  close(): Promise<void>
}

/** Connections altogether; one more is sent to the instance itself by nginx. Each needs two files. */
const mostConnections = 4000

export function createWaker({ look, wake, recover, patienceMs, mostWaiting = 1000 }: WakerOptions): Waker {
  const used = new Map<string, number>()
  const idle = new Map<string, number>()
  const waiting = new Map<string, number>()
  const held = new Map<string, Promise<void>>()
  const sockets = new Set<Socket>()
  const closing = new AbortController()
  let server: Server | undefined

  async function accept(client: Socket): Promise<void> {
    sockets.add(client)
    client.once('close', () => sockets.delete(client)).on('error', () => client.destroy())
    const head = await readHead(client)
    if (head === undefined) return
    const id = /\r\nx-steward-instance:[ \t]*([a-z0-9]{1,40})[ \t]*\r\n/i.exec(head.toString('latin1'))?.[1]
    if (id === undefined) return refuse(client, '400 Bad Request', 'No instance is named.')
    used.set(id, (used.get(id) ?? 0) + 1)
    client.once('close', () => {
      const left = (used.get(id) ?? 1) - 1
      if (left > 0) return void used.set(id, left)
      used.delete(id)
      idle.set(id, performance.now())
    })
    const upstream = (await reachAwake(id)) ?? (await reach(id))
    if (typeof upstream === 'string') return refuse(client, '503 Service Unavailable', upstream)
    pass(client, upstream, head)
  }

  /** The usual way. */
  async function reachAwake(id: string): Promise<Socket | undefined> {
    const found = look(id)
    return found && !found.asleep && !held.has(id) ? connectTo(found) : undefined
  }

  /** @returns why it cannot be reached, for people */
  async function reach(id: string): Promise<Socket | string> {
    const before = waiting.get(id) ?? 0
    if (before >= mostWaiting) return 'Too many requests wait until it is awake.'
    waiting.set(id, before + 1)
    const patience = AbortSignal.any([AbortSignal.timeout(patienceMs()), closing.signal])
    try {
      // Pauses are short at first: what was just started answers soon.
      for (let pause = 10; ; pause = Math.min(pause * 1.5, 250)) {
        await inTime(held.get(id), patience)
        const found = look(id)
        if (!found) return 'It is stopped.'
        if (found.asleep) {
          await inTime(wake(id), patience)
          continue
        }
        const upstream = await connectTo(found)
        if (upstream) return upstream
        const now = look(id)
        // It was put to sleep, or has another port, since it was looked at.
        if (now && (now.asleep || now.port !== found.port)) continue
        if (!now?.changing && !held.has(id)) return 'It does not answer at the moment.'
        await inTime(recover(), patience)
        await sleep(pause, undefined, { signal: patience })
      }
    } catch {
      return 'It was asleep, and could not be woken in time.'
    } finally {
      const left = (waiting.get(id) ?? 1) - 1
      if (left > 0) waiting.set(id, left)
      else waiting.delete(id)
    }
  }

  return {
    async listen(at = 0) {
      const made = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: false }, (client) => {
        void accept(client).catch(() => client.destroy())
      })
      made.maxConnections = mostConnections
      if (typeof at === 'string') {
        rmSync(at, { force: true })
        server = await listening(made, { path: at })
        chmodSync(at, 0o666)
      } else server = await ofPort(made, at).catch(() => ofPort(made, 0))
      server.on('error', () => {})
      if (typeof at === 'string') return `unix:${at}`
      return `127.0.0.1:${(server.address() as AddressInfo).port}`
    },
    idleSince: (id) => (used.has(id) ? undefined : idle.get(id)),
    isUsed: (id) => used.has(id),
    hold(id) {
      if (used.has(id) || held.has(id)) return undefined
      const { promise, resolve } = Promise.withResolvers<void>()
      held.set(id, promise)
      return () => {
        held.delete(id)
        resolve()
      }
    },
    async close() {
      closing.abort()
      if (server) await closeSockets(server, sockets)
    },
  }
}

function ofPort(server: Server, port: number): Promise<Server> {
  return listening(server, { port, host: '127.0.0.1' })
}

function listening(server: Server, options: ListenOptions): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(options, () => {
      server.off('error', reject)
      resolve(server)
    })
  })
}

/** Rejects when the signal is aborted before. */
async function inTime(work: Promise<void> | undefined, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  if (!work) return
  const { promise, reject } = Promise.withResolvers<never>()
  const end = () => reject(signal.reason as Error)
  signal.addEventListener('abort', end)
  try {
    await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', end)
  }
}

/** @returns undefined: nothing listens there, or another user's program does */
async function connectTo(place: OwnedPort): Promise<Socket | undefined> {
  try {
    return await connectToOwner(place, { allowHalfOpen: true })
  } catch {
    return undefined
  }
}

/** Until both have ended; what cuts one off cuts off the other. */
function pass(client: Socket, upstream: Socket, head: Buffer): void {
  for (const [one, other] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    one.setKeepAlive(true, 60_000)
    one.on('error', () => other.destroy())
    one.once('close', () => {
      // What was read is sent to its end.
      if (!one.readableEnded) other.destroy()
    })
    if (one.destroyed) other.destroy()
  }
  upstream.write(head)
  client.pipe(upstream)
  upstream.pipe(client)
}

/** How long a refused client may keep sending, in ms: one that is cut off with unread bytes does not read its answer. */
const lingerMs = 5000

function refuse(client: Socket, status: string, text: string): void {
  const body = `${text}\n`
  const timer = setTimeout(() => client.destroy(), lingerMs)
  client.once('close', () => clearTimeout(timer))
  client.resume()
  client.end(
    `HTTP/1.1 ${status}\r\nRetry-After: 5\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n${body}`,
  )
}
