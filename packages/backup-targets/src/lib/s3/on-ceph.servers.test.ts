import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest'
import { startFaultProxy } from '../../../../../tests/servers/fault-proxy.js'
import { makeFolder } from '../../../../../tests/servers/folders.js'
import { startCeph, toolIsMissing, type TestCeph } from '../../../../../tests/servers/index.js'
import { failingAfter, gated, madeUpBytes, pieces } from '../checks/made-up.js'
import { reliable } from '../reliable/reliable.js'
import { bytesSource } from '../sources.js'
import { testBackupTarget } from '../testing/target-suite.js'
import type { BackupTarget } from '../target.js'
import { makeBucket, partBytes, type TestBucket } from './bucket-for-test.js'

const missing = toolIsMissing('radosgw') ?? toolIsMissing('rclone')

describe.skipIf(missing)('s3 on Ceph', () => {
  let ceph: TestCeph
  let plain: TestBucket
  let locked: TestBucket

  beforeAll(async () => {
    ceph = await startCeph()
    plain = await makeBucket(ceph.s3)
    locked = await makeBucket(ceph.s3, { withLock: true })
  })
  afterAll(() => ceph?.close())

  const contentOf = async (bucket: TestBucket, key: string): Promise<Buffer> => {
    const { Body } = await bucket.s3.getObject({ Bucket: bucket.name, Key: key })
    return Buffer.from((await Body?.transformToByteArray()) ?? [])
  }
  const versionsIn = async (bucket: TestBucket, prefix: string) => {
    const { Versions = [], DeleteMarkers = [] } = await bucket.s3.listObjectVersions({
      Bucket: bucket.name,
      Prefix: prefix,
    })
    return [...Versions, ...DeleteMarkers]
  }
  /** Through a proxy that does harm. */
  const openThrough = async ({ onTestFinished }: TestContext, bucket: TestBucket, idleMs?: number) => {
    const proxy = await startFaultProxy({ to: ceph.port })
    const target = await bucket.open({ endpoint: `http://127.0.0.1:${proxy.port}` }, idleMs)
    onTestFinished(async () => {
      await target.close()
      await proxy.close()
    })
    return { proxy, target }
  }

  describe('contract', { concurrent: true }, () => {
    testBackupTarget({ name: 's3', open: () => locked.open({ prefix: 'all/of-' }) })
  })

  describe('what is stored', () => {
    it('is what another client reads, in one piece and in parts', async () => {
      const folder = await makeFolder('rclone')
      const config = join(folder, 'rclone.conf')
      const { endpoint, accessKey, secretKey } = ceph.s3
      await writeFile(
        config,
        `[ceph]\ntype = s3\nprovider = Other\nendpoint = ${endpoint}\naccess_key_id = ${accessKey}\nsecret_access_key = ${secretKey}\n`,
      )
      const target = await plain.open({ prefix: 'seen/' })
      for (const size of [0, 70_000, 2 * partBytes + 3]) {
        const bytes = madeUpBytes(size)
        await target.put(`by-rclone/${size}`, { ...pieces(bytes), size: size === 0 ? undefined : size })
        const { stdout } = await execa(
          'rclone',
          ['--config', config, 'cat', `ceph:${plain.name}/seen/by-rclone/${size}`],
          {
            env: { AWS_CA_BUNDLE: undefined },
            encoding: 'buffer',
          },
        )
        expect(bytes.equals(stdout), `${size} bytes`).toBe(true)
        expect(await buffer(await target.get(`by-rclone/${size}`, { start: size })), 'behind its end').toHaveLength(0)
      }
    })

    it('is listed without what others keep beside it', async () => {
      const target = await plain.open({ prefix: 'beside/' })
      for (const Key of ['beside/', 'beside/folder/', 'beside/.hidden', 'beside/with space', 'elsewhere']) {
        await plain.s3.putObject({ Bucket: plain.name, Key, Body: 'x' })
      }
      await target.put('mine', bytesSource('1'))
      expect((await target.list()).objects.map(({ key }) => key)).toEqual(['mine'])
    })
  })

  describe('an upload of parts', () => {
    it('continues in another process after connections were reset in the middle of parts', async (test) => {
      const bytes = madeUpBytes(4 * partBytes)
      const cut = await openThrough(test, plain)
      const harm = () => {
        cut.proxy.set({ kind: 'reset', times: Infinity })
        cut.proxy.cut()
      }
      const put = cut.target.put('resumed', pieces(bytes), {
        upload: 'resumed0',
        onProgress: (done) => void (done > 0 && cut.proxy.faults === 0 && harm()),
      })
      await expect(put).rejects.toMatchObject({ code: 'ERR_TARGET_UNREACHABLE', transient: true })
      expect(await plain.unfinished()).toEqual(['resumed'])

      const other = await openThrough(test, plain)
      const told: number[] = []
      await other.target.put('resumed', pieces(bytes), { upload: 'resumed0', onProgress: (done) => told.push(done) })
      expect(told[0]).toBeGreaterThanOrEqual(partBytes)
      expect(other.proxy.bytes.up).toBeLessThan(3.5 * partBytes)
      expect(bytes.equals(await contentOf(plain, 'resumed'))).toBe(true)
      expect(await plain.unfinished()).toEqual([])
    })

    it('leaves no parts when it is given up, before the call ends', async () => {
      const target = await plain.open()
      const bytes = madeUpBytes(3 * partBytes)
      const { source, reached } = gated(bytes, 2 * partBytes + 1)
      const controller = new AbortController()
      const put = target.put('aborted', source, { signal: controller.signal })
      put.catch(() => {})
      await reached
      await expect.poll(() => plain.unfinished()).toEqual(['aborted'])
      controller.abort(new Error('enough'))
      await expect(put).rejects.toThrow('enough')
      expect(await plain.unfinished()).toEqual([])

      await expect(target.put('failed', failingAfter(bytes, 2 * partBytes))).rejects.toThrow('the source failed')
      expect(await plain.unfinished()).toEqual([])
    })
  })

  describe('an upload through a bad network', { concurrent: true }, () => {
    it('bears short disturbances by itself', async (test) => {
      const { proxy, target } = await openThrough(test, plain)
      const bytes = madeUpBytes(2 * partBytes)
      proxy.set({ kind: 'reset', afterBytes: partBytes / 2, times: 2 })
      await target.put('disturbed', pieces(bytes))
      expect(proxy.faults).toBe(2)
      expect(bytes.equals(await contentOf(plain, 'disturbed'))).toBe(true)
    })

    it('recovers from connections that fall silent', async (test) => {
      const { proxy, target } = await openThrough(test, plain, 3000)
      const bytes = madeUpBytes(2 * partBytes)
      proxy.set({ kind: 'blackhole', afterBytes: partBytes / 2, times: 2 })
      await reliable(target, { minPauseMs: 50, idleMs: 20_000 }).put('silent', pieces(bytes), { upload: 'silent00' })
      expect(proxy.faults).toBe(2)
      expect(bytes.equals(await contentOf(plain, 'silent'))).toBe(true)
    })

    it('may be slower than the time after which silence counts', async (test) => {
      const { proxy, target } = await openThrough(test, plain, 3000)
      proxy.set({ kind: 'slow', bytesPerSecond: 200_000, times: Infinity })
      const bytes = madeUpBytes(partBytes)
      await target.put('slow', pieces(bytes))
      expect(proxy.faults).toBeGreaterThan(0)
    })

    it('that was completed although the answer was lost is found to be there', async (test) => {
      const { proxy, target } = await openThrough(test, plain)
      const bytes = madeUpBytes(partBytes + 10)
      await target.put('lost-answer', pieces(bytes), {
        // The answers of all requests that follow are cut off once.
        onProgress: (done) => void (done === bytes.length && proxy.set({ kind: 'reset', direction: 'down' })),
      })
      expect(bytes.equals(await contentOf(plain, 'lost-answer'))).toBe(true)
    })
  })

  describe('conditions', () => {
    it('are promised only when the store keeps them for parts as well', async () => {
      const target = await plain.open()
      // This Ceph keeps them for objects in one piece, unless the bucket has versions.
      expect(target.capabilities.conditionalCreate).toBe(false)
      const two = [await plain.open(), target].map((each, index) =>
        each.put('first', bytesSource(`writer ${index}`), { ifAbsent: true }),
      )
      const results = await Promise.allSettled(two)
      expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
      expect(results.find(({ status }) => status === 'rejected')).toMatchObject({
        reason: { code: 'ERR_TARGET_EXISTS' },
      })
      const big = target.put('first', pieces(madeUpBytes(partBytes + 1)), { ifAbsent: true })
      await expect(big).rejects.toMatchObject({ code: 'ERR_TARGET_EXISTS' })
    })

    it('of large objects are looked at again before the end', async () => {
      const target = await plain.open()
      const bytes = madeUpBytes(partBytes + 1000)
      const { source, reached, release } = gated(bytes)
      const big = target.put('raced', source, { ifAbsent: true })
      big.catch(() => {})
      await reached
      await target.put('raced', bytesSource('small'))
      release()
      await expect(big).rejects.toMatchObject({ code: 'ERR_TARGET_EXISTS' })
      expect(String(await contentOf(plain, 'raced'))).toBe('small')
      expect(await plain.unfinished()).toEqual([])
    })

    it('are found out without a trace', async () => {
      await locked.open({ prefix: 'untouched/' })
      await plain.open({ prefix: 'untouched/' })
      expect(await versionsIn(locked, 'untouched/')).toEqual([])
      expect((await plain.s3.listObjectsV2({ Bucket: plain.name, Prefix: 'untouched/' })).KeyCount).toBe(0)
    })
  })

  describe('a bucket with Object Lock', () => {
    it('keeps objects for lock_days, and those that are replaced', async () => {
      const target = await locked.open({ lock_days: '1', lock_mode: 'governance' })
      expect(target.capabilities.immutability).toBe(true)
      for (const [key, size] of [
        ['kept', 100],
        ['kept-parts', partBytes + 1],
      ] as const) {
        await target.put(key, pieces(madeUpBytes(size)))
        const { Retention } = await locked.s3.getObjectRetention({ Bucket: locked.name, Key: key })
        expect(Retention?.Mode).toBe('GOVERNANCE')
        const hours = ((Retention?.RetainUntilDate?.getTime() ?? 0) - Date.now()) / 3_600_000
        expect(hours).toBeGreaterThan(23.5)
        expect(hours).toBeLessThan(24.5)
        await expect(target.delete(key)).rejects.toMatchObject({ code: 'ERR_TARGET_LOCKED' })
        await expect(target.put(key, bytesSource('other'))).rejects.toMatchObject({ code: 'ERR_TARGET_LOCKED' })
      }
    })

    it('locks an upload that continues as long as the last call wants', async () => {
      const target = await locked.open()
      const bytes = madeUpBytes(2 * partBytes)
      const cut = target.put('extended', failingAfter(bytes, partBytes + 1), { upload: 'extended' })
      await expect(cut).rejects.toThrow()
      const lockUntil = new Date(Math.ceil(Date.now() / 1000) * 1000 + 3_600_000)
      await target.put('extended', pieces(bytes), { upload: 'extended', lockUntil })
      const { Retention } = await locked.s3.getObjectRetention({ Bucket: locked.name, Key: 'extended' })
      expect(Retention).toMatchObject({ Mode: 'COMPLIANCE', RetainUntilDate: lockUntil })
    })

    it('loses all versions of an object that is deleted', async () => {
      const target = await locked.open()
      for (const text of ['1', '2', '3']) await target.put('versions', bytesSource(text))
      expect(await versionsIn(locked, 'versions')).toHaveLength(3)
      expect(await target.delete('versions')).toBe(true)
      expect(await versionsIn(locked, 'versions')).toEqual([])
      expect(await target.delete('versions')).toBe(false)
    })

    it('is needed for lock_days', async () => {
      await expect(plain.open({ lock_days: '1' })).rejects.toMatchObject({ code: 'ERR_TARGET_SETTINGS' })
    })
  })

  describe('refusals', () => {
    it('of unknown keys, wrong secrets and missing buckets are told apart', async () => {
      const secret = 'not-the-secret'
      const cases: [Record<string, string>, string, RegExp][] = [
        [{ access_key: 'nobody' }, 'ERR_TARGET_REFUSED', /InvalidAccessKeyId/],
        [{ secret_key: secret }, 'ERR_TARGET_REFUSED', /SignatureDoesNotMatch/],
        [{ bucket: 'no-such-bucket' }, 'ERR_TARGET_SETTINGS', /NoSuchBucket/],
        [{ endpoint: 'http://127.0.0.1:1' }, 'ERR_TARGET_UNREACHABLE', /ECONNREFUSED/],
      ]
      for (const [options, code, message] of cases) {
        const error: unknown = await plain.open(options).catch((thrown: unknown) => thrown)
        expect(error).toMatchObject({ code, message: expect.stringMatching(message) as string })
        expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain(secret)
      }
    })

    it('of a bucket of another owner are not missing objects', async () => {
      const keys = ['--access-key', 'other-access', '--secret-key', 'other-secret']
      await ceph.admin(['user', 'create', '--uid', 'other', '--display-name', 'other', ...keys])
      const target = await plain.open({ access_key: 'other-access', secret_key: 'other-secret' })
      const calls: (() => Promise<unknown>)[] = [
        () => target.stat('x'),
        () => target.list(),
        () => target.put('x', bytesSource('1')),
        () => target.delete('x'),
      ]
      for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'ERR_TARGET_REFUSED' })
    })

    it('of a full bucket leave nothing behind', async () => {
      const full = await makeBucket(ceph.s3)
      const quota = (args: string[]) => ceph.admin(['quota', ...args, '--bucket', full.name, '--uid', 'backup'])
      await quota(['set', '--quota-scope', 'bucket', '--max-size', '2M'])
      await quota(['enable', '--quota-scope', 'bucket'])
      const target: BackupTarget = await full.open()
      // Four parts are sent at the same time, and the server may find room for each of those.
      for (const size of [partBytes, 12 * partBytes]) {
        const put = target.put(`big-${size}`, pieces(madeUpBytes(size)), { upload: 'quota000' })
        if (size > partBytes) await expect(put).rejects.toMatchObject({ code: 'ERR_TARGET_FULL', transient: false })
        else await put
      }
      expect(await full.unfinished()).toEqual([])
      expect((await target.list()).objects.map(({ key }) => key)).toEqual([`big-${partBytes}`])
    })
  })
})

it.skipIf(!missing)('s3 on Ceph is tested with a real server', ({ skip }) => skip(missing))
