import { createHash, randomBytes } from 'node:crypto'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import { Readable, Transform } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startFaultProxy, type FaultProxy } from '../../../../../tests/servers/fault-proxy.js'
import { startSwift, toolIsMissing, type TestSwift } from '../../../../../tests/servers/index.js'
import { openTarget, reliable, type BackupTarget, type Source, type TargetError } from '../../index.js'
import { testBackupTarget } from '../../testing.js'
import { bytesSource, streamSource } from '../sources.js'

const missing = toolIsMissing('swift') ?? toolIsMissing('memcached')
const partBytes = 2 ** 18

describe.skipIf(missing)('OpenStack Swift', () => {
  let swift: TestSwift
  let proxy: FaultProxy
  const opened: BackupTarget[] = []

  const open = async (options: Record<string, string> = {}, idleMs?: number) => {
    const user = { auth_url: swift.auth.url, username: swift.auth.user, password: swift.auth.key }
    const all = { ...user, container: 'backups', prefix: 'all/of-', part_mb: '0.25', ...options }
    const target = await openTarget({ type: 'swift', options: all, ...(idleMs !== undefined && { idleMs }) })
    opened.push(target)
    return target
  }

  /** A container of its own, reached through the proxy that does harm. */
  const openBehindProxy = (container: string, idleMs?: number) =>
    open({ container: `http://127.0.0.1:${proxy.port}/v1/AUTH_test/${container}`, prefix: '' }, idleMs)

  /** A request of the account's owner that is none of the target's. @returns the names in the body, if any. */
  async function ask(method: string, path: string, headers: Record<string, string> = {}): Promise<string[]> {
    const { user, key, url } = swift.auth
    const login = await fetch(url, { headers: { 'x-auth-user': user, 'x-auth-key': key } })
    const token = login.headers.get('x-auth-token') ?? ''
    const answer = await fetch(`${login.headers.get('x-storage-url')}/${path}`, {
      method,
      headers: { ...headers, 'x-auth-token': token },
    })
    return (await answer.text()).split('\n').filter(Boolean)
  }

  beforeAll(async () => {
    swift = await startSwift()
    proxy = await startFaultProxy({ to: swift.port })
  })
  afterAll(async () => {
    for (const target of opened) await target.close()
    await proxy?.close()
    await swift?.close()
  })

  describe('contract', { concurrent: true }, () => {
    testBackupTarget({ name: 'swift', open })
  })

  describe('objects', () => {
    it('are read by another client, also large ones', async ({ skip }) => {
      const reason = toolIsMissing('rclone')
      if (reason) skip(reason)
      const target = await open({ container: 'independent', prefix: 'pre-' })
      const contents = {
        small: randomBytes(1000),
        parts: randomBytes(3 * partBytes + 1),
        unknown: randomBytes(partBytes * 2),
      }
      for (const [key, bytes] of Object.entries(contents)) {
        await target.put(
          key,
          key === 'unknown' ? streamSource(Readable.from([bytes], { objectMode: false })) : bytesSource(bytes),
        )
      }
      const { stdout } = await rclone(swift, ['hashsum', 'sha256', '--download', 'swift:independent'])
      const expected = Object.entries(contents).map(([key, bytes]) => `${sha256(bytes)}  pre-${key}`)
      expect(stdout.trim().split('\n').toSorted()).toEqual(expected.toSorted())
    })

    it('leave no segments behind when they are deleted or replaced', async () => {
      const target = await open({ container: 'tidy', prefix: '' })
      await target.put('deleted', bytesSource(randomBytes(2 * partBytes)))
      await target.put('replaced', bytesSource(randomBytes(2 * partBytes)))
      await target.put('replaced', bytesSource(randomBytes(3 * partBytes)))
      expect(await ask('GET', 'tidy_segments')).toHaveLength(5)
      await target.put('replaced', bytesSource('small'))
      expect(await target.delete('deleted')).toBe(true)
      expect(await ask('GET', 'tidy_segments')).toEqual([])
    })

    it('keep their segments when the same upload is made again, also with other bytes, or others are swept', async () => {
      const target = await open({ container: 'again', prefix: '' })
      const [bytes, upload] = [randomBytes(2 * partBytes), 'samecontent']
      await target.put('object', bytesSource(bytes), { upload })
      const failing = { size: bytes.length, open: () => Readable.from(cut(bytes), { objectMode: false }) }
      await failure(target.put('object', failing, { upload }))
      expect(await buffer(await target.get('object'))).toEqual(bytes)
      await target.put('object', bytesSource(bytes), { upload })
      expect(await target.sweep({ before: new Date(Date.now() + 60_000) })).toBe(0)
      expect(await buffer(await target.get('object'))).toEqual(bytes)
      expect(await ask('GET', 'again_segments')).toHaveLength(2)
    })

    it('have segments in the same container where no other may be made', async () => {
      await ask('PUT', 'shared', { 'x-container-read': swift.reader.user, 'x-container-write': swift.reader.user })
      const { user, key } = swift.reader
      const target = await open({ container: 'shared', prefix: 'a/', username: user, password: key })
      const bytes = randomBytes(3 * partBytes)
      await target.put('large', bytesSource(bytes))
      expect(await buffer(await target.get('large'))).toEqual(bytes)
      expect(await ask('GET', 'shared')).toHaveLength(4)
      expect((await target.list()).objects).toMatchObject([{ key: 'large', size: bytes.length }])
      expect(await target.delete('large')).toBe(true)
      expect(await ask('GET', 'shared')).toEqual([])
    })
  })

  describe('faults', () => {
    for (const kind of ['reset', 'fin'] as const) {
      it(`an upload that the network cuts (${kind}) is not seen, and continues at its last segment`, async () => {
        const target = await openBehindProxy(`cut-${kind}`)
        const bytes = randomBytes(4 * partBytes)
        const upload = sha256(bytes)
        // The container is made over another connection.
        await target.list()
        proxy.set({ kind, afterBytes: 3 * partBytes })
        expect(await failure(target.put('object', bytesSource(bytes), { upload }))).toMatchObject({
          code: 'ERR_TARGET_UNREACHABLE',
          transient: true,
        })
        expect(await target.stat('object')).toBeUndefined()
        expect(await target.list()).toMatchObject({ objects: [] })
        const before = proxy.bytes.up
        const told: number[] = []
        await target.put('object', bytesSource(bytes), { upload, onProgress: (at) => told.push(at) })
        expect(told[0]).toBe(2 * partBytes)
        expect(proxy.bytes.up - before).toBeLessThan(3 * partBytes)
        expect(await buffer(await target.get('object'))).toEqual(bytes)
      })
    }

    it('an upload whose network is cut is tried again by reliable()', async () => {
      const target = reliable(await openBehindProxy('retried'), { minPauseMs: 10, maxPauseMs: 20 })
      const bytes = randomBytes(4 * partBytes)
      proxy.set({ kind: 'reset', afterBytes: partBytes + 1000, times: 2 })
      await target.put('object', bytesSource(bytes))
      expect(await buffer(await target.get('object'))).toEqual(bytes)
    })

    it('silence ends an upload and a download after the time that is set', async () => {
      const patient = await openBehindProxy('silent')
      await patient.put('object', bytesSource(randomBytes(partBytes)))
      const target = await openBehindProxy('silent', 1000)
      proxy.set({ kind: 'blackhole', afterBytes: partBytes / 2 })
      const put = await failure(target.put('other', bytesSource(randomBytes(partBytes))))
      proxy.set({ kind: 'blackhole', afterBytes: partBytes / 2, direction: 'down' })
      const get = await failure(target.get('object').then(buffer))
      for (const error of [put, get]) {
        expect(error).toMatchObject({ code: 'ERR_TARGET_UNREACHABLE', message: expect.stringContaining('silent') })
      }
      expect(await patient.stat('other')).toBeUndefined()
    })

    it('a server that is gone is a transient failure; the upload is not visible and can be resumed', async () => {
      const target = await open({ container: 'gone' })
      const bytes = randomBytes(3 * partBytes)
      const upload = sha256(bytes)
      const stopping: Source = {
        size: bytes.length,
        open: () =>
          Readable.from(
            pieces(bytes, () => swift.stop('object')),
            { objectMode: false },
          ),
      }
      expect(await failure(target.put('object', stopping, { upload }))).toMatchObject({ transient: true })
      await swift.start('object')
      expect(await target.stat('object')).toBeUndefined()
      await target.put('object', bytesSource(bytes), { upload })
      expect(await buffer(await target.get('object'))).toEqual(bytes)
    })

    it('a token that is not known any more is replaced, also between segments', async () => {
      const target = await open({ container: 'tokens' })
      const bytes = randomBytes(3 * partBytes)
      const expiring: Source = {
        size: bytes.length,
        open: () =>
          Readable.from(
            pieces(bytes, () => swift.expireTokens()),
            { objectMode: false },
          ),
      }
      await target.put('object', expiring)
      await swift.expireTokens()
      expect(await buffer(await target.get('object'))).toEqual(bytes)
    })

    it('a byte that changes on the way is found', async () => {
      const flipping = await startFlippingProxy(swift.port)
      const container = `http://127.0.0.1:${flipping.port}/v1/AUTH_test/flipped`
      const target = await open({ container, prefix: '', part_mb: '8' })
      for (const size of [300_000, 5_000_000]) {
        expect(await failure(target.put('object', bytesSource(Buffer.alloc(size, 'a'))))).toMatchObject({
          code: 'ERR_TARGET_DAMAGED',
        })
        expect(await target.stat('object')).toBeUndefined()
      }
      flipping.close()
    })

    it('a quota that is reached is reported, also when the size was not known', async () => {
      const target = await open({ container: 'limited', prefix: '' })
      await ask('PUT', 'limited', { 'x-container-meta-quota-bytes': '300000' })
      await ask('PUT', 'limited_segments', { 'x-container-meta-quota-bytes': '300000' })
      const bytes = randomBytes(3 * partBytes)
      const unknown = streamSource(Readable.from([bytes], { objectMode: false }))
      for (const source of [bytesSource(bytes), unknown]) {
        expect(await failure(target.put('object', source, { upload: 'exceeding' }))).toMatchObject({
          code: 'ERR_TARGET_FULL',
          transient: false,
        })
        expect(await target.stat('object')).toBeUndefined()
        expect(await ask('GET', 'limited_segments')).toEqual([])
      }
    })

    it('a caller without rights is refused with a reason that does not show the password', async () => {
      const { user, key } = swift.reader
      const stranger = await open({ username: user, password: key })
      expect(await failure(stranger.list())).toMatchObject({ code: 'ERR_TARGET_REFUSED' })
      expect(await failure(stranger.put('object', bytesSource('a')))).toMatchObject({ code: 'ERR_TARGET_REFUSED' })
      const wrong = await failure((await open({ password: 'wrong-secret' })).list())
      expect(wrong).toMatchObject({ code: 'ERR_TARGET_REFUSED', transient: false })
      expect(wrong.message).not.toContain('wrong-secret')
    })
  })
})

it.skipIf(!missing)('is tested with a real server', ({ skip }) => skip(missing))

async function failure(call: Promise<unknown>): Promise<TargetError> {
  return call.then(
    () => expect.fail('It succeeded.'),
    (error: TargetError) => error,
  )
}

/** In pieces smaller than a segment; something happens when one and a half segments are through. */
async function* pieces(bytes: Buffer, happens: () => Promise<void>): AsyncGenerator<Buffer> {
  const size = partBytes / 4
  for (let at = 0; at < bytes.length; at += size) {
    if (at === partBytes + 2 * size) await happens()
    yield bytes.subarray(at, at + size)
  }
}

/** Changes the last byte of a piece of a body. */
async function startFlippingProxy(to: number) {
  const server = createServer((client) => {
    const flip = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        if (chunk.subarray(-1000).equals(Buffer.alloc(1000, 'a'))) chunk[chunk.length - 1] = 0x62
        done(null, chunk)
      },
    })
    const swift = connect(to, '127.0.0.1')
    client.pipe(flip).pipe(swift).pipe(client)
    for (const socket of [client, swift]) socket.on('error', () => socket.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, close: () => server.close() }
}

/** Other bytes, which end in the second segment. */
function* cut(bytes: Buffer): Generator<Buffer> {
  yield Buffer.alloc(partBytes, 1)
  yield bytes.subarray(0, 1000)
  throw new Error('cut')
}

function rclone(swift: TestSwift, args: string[]): Promise<{ stdout: string }> {
  const { AWS_CA_BUNDLE: _, ...env } = process.env
  const { url, user, key } = swift.auth
  const remote = { TYPE: 'swift', AUTH: url, USER: user, KEY: key }
  for (const [name, value] of Object.entries(remote)) env[`RCLONE_CONFIG_SWIFT_${name}`] = value
  return promisify(execFile)('rclone', ['--config', '/dev/null', ...args], { env })
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
