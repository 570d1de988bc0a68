import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { madeUpBytes, pieces } from '../checks/made-up.js'
import { openTarget } from '../registry.js'
import { bytesSource } from '../sources.js'

/** What a store does wrong with what it is sent, and with requests as a whole. */
interface Badness {
  readonly store?: (sent: Buffer) => Buffer
  /** The ETag of what it stores, else a random one, as encrypting stores have it. */
  readonly etag?: string
  readonly answer?: (request: IncomingMessage, response: ServerResponse) => boolean
}

/** A store of single objects that does wrong what a test asks for; it knows no locks and ignores conditions. */
async function startBadS3(badness: Badness) {
  const objects = new Map<string, Buffer>()
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    void request.toArray().then((chunks: Buffer[]) => {
      requests.push(request)
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://x')
      if (badness.answer?.(request, response)) return
      const stored = objects.get(pathname)
      const headers = { etag: `"${badness.etag ?? 'no-md5'}"`, 'last-modified': new Date().toUTCString() }
      if (searchParams.has('object-lock')) xml(response, 501, 'NotImplemented')
      else if (request.method === 'PUT') {
        const sent = Buffer.concat(chunks)
        objects.set(pathname, badness.store?.(sent) ?? sent)
        response.writeHead(200, headers).end()
      } else if (request.method === 'DELETE') {
        objects.delete(pathname)
        response.writeHead(204).end()
      } else if (!stored) xml(response, 404, 'NoSuchKey')
      else
        response
          .writeHead(200, { ...headers, 'content-length': stored.length })
          .end(request.method === 'HEAD' ? '' : stored)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    await once(server.close(), 'close')
  })
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { endpoint, objects, requests }
}

function xml(response: ServerResponse, status: number, code: string, message = `said ${code}`): void {
  response.writeHead(status, { 'content-type': 'application/xml' })
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`)
}

/** Silence of this length ends a request, by a clock that tests move. */
const idleMs = 60_000

const open = (endpoint: string) =>
  openTarget({
    type: 's3',
    options: { bucket: 'backups', endpoint, access_key: 'a', secret_key: 'b' },
    idleMs,
    environment: {},
  })

afterEach(() => vi.restoreAllMocks())

describe('a bad store', () => {
  const framed = (sent: Buffer) =>
    Buffer.concat([Buffer.from(`${sent.length.toString(16)}\r\n`), sent, Buffer.from('\r\n0\r\n\r\n')])

  it.each<[string, Badness]>([
    ['keeps the framing of transfers as content', { store: framed }],
    ['keeps only a part', { store: (sent) => sent.subarray(0, 900) }],
    ['keeps nothing', { store: () => Buffer.alloc(0) }],
    ['keeps other bytes, and says so by its ETag', { etag: '0123456789abcdef0123456789abcdef' }],
  ])('that %s is found out, and the object is removed', async (_name, badness) => {
    const { endpoint, objects } = await startBadS3(badness)
    const target = await open(endpoint)
    await expect(target.put('object', pieces(madeUpBytes(1000)))).rejects.toMatchObject({
      code: 'ERR_TARGET_DAMAGED',
      transient: true,
    })
    expect([...objects.keys()]).toEqual([])
  })

  it('is sent bytes as they are, with their MD5, and no framing or checksum that it may not know', async () => {
    const { endpoint, objects, requests } = await startBadS3({})
    const target = await open(endpoint)
    const bytes = madeUpBytes(100_000)
    await target.put('object', pieces(bytes))
    expect(bytes.equals(objects.get('/backups/object') ?? Buffer.alloc(0))).toBe(true)
    const { headers } = requests.find(({ method, url }) => method === 'PUT' && url?.startsWith('/backups/object')) ?? {}
    expect(headers).toMatchObject({ 'content-length': '100000' })
    expect(headers?.['content-md5']).toMatch(/^[A-Za-z0-9+/]{22}==$/)
    const names = Object.keys(headers ?? {}).filter((name) => /checksum|trailer|decoded|encoding/.test(name))
    expect(names).toEqual([])
  })

  it('that ignores conditions is found out, and leaves what is there all the same', async () => {
    const { endpoint, objects } = await startBadS3({})
    const target = await open(endpoint)
    expect(target.capabilities.conditionalCreate).toBe(false)
    expect([...objects.keys()]).toEqual([])
    await target.put('object', bytesSource('1'), { ifAbsent: true })
    await expect(target.put('object', bytesSource('2'), { ifAbsent: true })).rejects.toMatchObject({
      code: 'ERR_TARGET_EXISTS',
    })
    expect(String(objects.get('/backups/object'))).toBe('1')
  })

  it('that gives a whole object instead of a part is found out', async () => {
    const { endpoint } = await startBadS3({})
    const target = await open(endpoint)
    await target.put('object', bytesSource('0123456789'))
    await expect(target.get('object', { start: 5 })).rejects.toMatchObject({ code: 'ERR_TARGET_FAILED' })
    expect(String(await buffer(await target.get('object')))).toBe('0123456789')
  })

  it('that never answers is given up', async () => {
    let isSilent = false
    const { endpoint } = await startBadS3({ answer: () => isSilent })
    const target = await open(endpoint)
    isSilent = true
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const calls = [target.stat('x'), target.list(), target.put('x', bytesSource('1'))]
    const results = Promise.allSettled<unknown>(calls)
    const state = { isOver: false }
    void results.then(() => (state.isOver = true))
    while (!state.isOver) {
      await vi.advanceTimersByTimeAsync(idleMs)
      await setImmediate()
    }
    for (const result of await results)
      expect(result).toMatchObject({ reason: { code: 'ERR_TARGET_UNREACHABLE', transient: true } })
  })

  it.each<[number, string, string, boolean, string?]>([
    [503, 'SlowDown', 'ERR_TARGET_THROTTLED', true],
    [500, 'InternalError', 'ERR_TARGET_UNREACHABLE', true],
    [507, 'XMinioStorageFull', 'ERR_TARGET_FULL', false],
    [403, 'QuotaExceeded', 'ERR_TARGET_FULL', false],
    [400, 'EntityTooLarge', 'ERR_TARGET_FULL', false],
    [403, 'RequestTimeTooSkewed', 'ERR_TARGET_REFUSED', false],
    [400, 'BadDigest', 'ERR_TARGET_DAMAGED', true],
    [301, 'PermanentRedirect', 'ERR_TARGET_SETTINGS', false],
    [409, 'OperationAborted', 'ERR_TARGET_FAILED', true],
    [403, 'AccessDenied', 'ERR_TARGET_LOCKED', false, 'Access Denied because object protected by object lock.'],
    [400, 'Whatever', 'ERR_TARGET_FAILED', false],
  ])('that answers %i %s', async (status, name, code, transient, text) => {
    let isRefusing = false
    const { endpoint } = await startBadS3({
      answer(_request, response) {
        if (isRefusing) xml(response, status, name, text)
        return isRefusing
      },
    })
    const target = await open(endpoint)
    isRefusing = true
    const expected = { code, transient, message: expect.stringContaining(name) as string }
    await expect(target.get('object')).rejects.toMatchObject(expected)
  })

  it('brings nothing onto the console', async () => {
    const spies = (['log', 'info', 'warn', 'error', 'debug'] as const).map((name) => vi.spyOn(console, name))
    const { endpoint } = await startBadS3({ store: () => Buffer.alloc(0) })
    const target = await open(endpoint)
    await target.put('object', bytesSource('')).catch(() => {})
    await target.put('object', { ...bytesSource('12'), size: undefined }).catch(() => {})
    for (const spy of spies) expect(spy).not.toHaveBeenCalled()
  })
})
