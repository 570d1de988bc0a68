import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Storage } from '@google-cloud/storage'
import { execa } from 'execa'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startFakeGcs, type FakeGcs } from '../../../../../tests/servers/fake-gcs.js'
import { startFaultProxy } from '../../../../../tests/servers/fault-proxy.js'
import { makeFolder } from '../../../../../tests/servers/folders.js'
import { toolIsMissing } from '../../../../../tests/servers/index.js'
import { gated, madeUpBytes, pieces } from '../checks/made-up.js'
import { bytesOf } from '../checks/expect.js'
import { openTarget } from '../registry.js'
import { reliable } from '../reliable/reliable.js'
import { bytesSource } from '../sources.js'
import { testBackupTarget } from '../testing/target-suite.js'
import { readSettings } from './settings.js'
import { createGcsTarget } from './target.js'

/** The smallest that is allowed. */
const pieceBytes = 262_144
/** More than a piece of an upload. */
const bigSize = 300_000

describe('gcs', () => {
  let fake: FakeGcs
  beforeAll(async () => {
    fake = await startFakeGcs({ buckets: ['backups'] })
  })
  afterEach(() => {
    fake.misbehaviour = {}
    fake.requests.length = 0
  })
  afterAll(() => fake?.close())

  const open = async (options: Readonly<Record<string, string>> = {}, idleMs = 60_000) => {
    const all = { bucket: 'backups', api_endpoint: fake.url, ...options }
    return createGcsTarget({ ...readSettings(all, { environment: {}, idleMs }), pieceBytes })
  }
  const openThrough = async (idleMs?: number) => {
    const proxy = await startFaultProxy({ to: fake.port })
    onTestFinished(() => proxy.close())
    return { proxy, target: await open({ api_endpoint: `http://127.0.0.1:${proxy.port}` }, idleMs) }
  }

  describe('contract', { concurrent: true }, () => {
    testBackupTarget({ name: 'gcs', open: () => open({ prefix: 'all/of-' }) })
  })

  it('an upload has one connection for all of its requests', async () => {
    const target = await open()
    const before = fake.connections
    await target.put('one', bytesSource(madeUpBytes(2 * bigSize)))
    expect(fake.requests.length).toBeGreaterThan(2)
    expect(fake.connections - before).toBe(1)
    await target.close()
  })

  it('an upload continues where it was cut', async () => {
    const { proxy, target } = await openThrough()
    const bytes = madeUpBytes(2 * bigSize)
    proxy.set({ kind: 'reset', afterBytes: bigSize })
    await target.put('cut', pieces(bytes))
    expect(proxy.faults).toBe(1)
    expect(proxy.bytes.up).toBeLessThan(3.5 * bigSize)
    expect(bytes.equals(fake.objects.get('backups/cut')?.bytes ?? Buffer.alloc(0))).toBe(true)
  })

  it('an upload that falls silent continues with the next attempt', async () => {
    const { proxy, target } = await openThrough()
    const bytes = madeUpBytes(4 * bigSize)
    proxy.set({ kind: 'blackhole', afterBytes: bigSize })
    const upload = { upload: 'silent00' }
    await reliable(target, { minPauseMs: 50, idleMs: 1500 }).put('silent', pieces(bytes), upload)
    expect(proxy.faults).toBe(1)
    // The first piece was sent once.
    expect(proxy.bytes.up).toBeLessThan(4.5 * bigSize)
    expect(bytes.equals(fake.objects.get('backups/silent')?.bytes ?? Buffer.alloc(0))).toBe(true)
  })

  it('an upload starts again when the store has forgotten it', async () => {
    const target = await open()
    const bytes = madeUpBytes(bigSize)
    const controller = new AbortController()
    const enough = new Error('enough')
    const { source, reached, release } = gated(bytes, bigSize - 1)
    const first = target.put('forgotten', source, { upload: 'forgotten', signal: controller.signal })
    first.catch(() => {})
    await reached
    await expect.poll(() => fake.requests.some((each) => /^PUT .*upload_id/.test(each))).toBe(true)
    controller.abort(enough)
    await expect(first).rejects.toBe(enough)
    release()
    fake.forgetUploads()
    const again = () => target.put('forgotten', pieces(bytes), { upload: 'forgotten' })
    await expect(again()).rejects.toMatchObject({
      transient: true,
      message: expect.stringMatching(/forgotten/) as string,
    })
    await again()
    expect(bytes.equals(fake.objects.get('backups/forgotten')?.bytes ?? Buffer.alloc(0))).toBe(true)
  })

  it('an upload whose last answer was lost is found to be whole', async () => {
    const { proxy, target } = await openThrough()
    const bytes = madeUpBytes(bigSize)
    await target.put('lost-answer', pieces(bytes), {
      onProgress: (done) =>
        void (done >= pieceBytes && proxy.faults === 0 && proxy.set({ kind: 'reset', direction: 'down' })),
    })
    expect(proxy.faults).toBe(1)
    expect(bytes.equals(fake.objects.get('backups/lost-answer')?.bytes ?? Buffer.alloc(0))).toBe(true)
  })

  it('calls that are never answered are given up', async () => {
    const { proxy, target } = await openThrough(100)
    proxy.set({ kind: 'blackhole', times: Infinity })
    const calls = [() => target.stat('x'), () => target.list(), () => target.put('x', bytesSource('1'))]
    const results = await Promise.allSettled(calls.map((call) => call()))
    for (const result of results) {
      expect(result).toMatchObject({ reason: { code: 'ERR_TARGET_UNREACHABLE', transient: true } })
    }
  })

  it('a download that is cut or silent continues at the missing byte', async () => {
    const { proxy, target } = await openThrough(1500)
    const bytes = madeUpBytes(1_000_000)
    await target.put('download', pieces(bytes))
    for (const kind of ['reset', 'fin', 'blackhole'] as const) {
      proxy.set({ kind, direction: 'down', afterBytes: 300_000, times: 1 })
      const read = await bytesOf(reliable(target, { minPauseMs: 50, idleMs: 1500 }), 'download')
      expect(bytes.equals(read), kind).toBe(true)
    }
    expect(proxy.faults).toBe(3)
  })

  it('what the store has otherwise than it was sent is found out and removed', async () => {
    const target = await open()
    for (const size of [1000, bigSize]) {
      for (const misbehaviour of [{ damages: true }, { storesAtMost: size - 1 }, { endsEarly: size === bigSize }]) {
        if (misbehaviour.endsEarly === false) continue
        fake.misbehaviour = misbehaviour
        const put = target.put('damaged', pieces(madeUpBytes(size)))
        const what = `${size} bytes, ${JSON.stringify(misbehaviour)}`
        await expect(put, what).rejects.toMatchObject({ code: 'ERR_TARGET_DAMAGED', transient: true })
        await expect.poll(() => fake.objects.has('backups/damaged'), { message: what }).toBe(false)
      }
    }
  })

  it('objects that the store keeps are neither deleted nor replaced', async () => {
    const target = await open()
    await target.put('retained', bytesSource('1'))
    const object = fake.objects.get('backups/retained')
    if (object) object.retainUntil = new Date(Date.now() + 60_000)
    await expect(target.delete('retained')).rejects.toMatchObject({ code: 'ERR_TARGET_LOCKED' })
    await expect(target.put('retained', bytesSource('2'))).rejects.toMatchObject({ code: 'ERR_TARGET_LOCKED' })
    expect(String(await bytesOf(target, 'retained'))).toBe('1')
  })

  it('refusals are told apart', async () => {
    const target = await open()
    const cases: [number, string, string][] = [
      [401, 'authError', 'ERR_TARGET_REFUSED'],
      [403, 'forbidden', 'ERR_TARGET_REFUSED'],
      [403, 'quotaExceeded', 'ERR_TARGET_FULL'],
      [413, 'uploadTooLarge', 'ERR_TARGET_FULL'],
    ]
    for (const [status, reason, code] of cases) {
      fake.misbehaviour = { refusal: { status, reason } }
      const calls = [
        () => target.put('refused', bytesSource('1')),
        () => target.put('refused', pieces(madeUpBytes(300_000))),
        () => target.stat('refused'),
        () => target.list(),
        () => target.delete('refused'),
        () => target.get('refused'),
      ]
      for (const [index, call] of calls.entries()) {
        await expect(call(), `${status} ${reason}, call ${index}`).rejects.toMatchObject({ code })
      }
    }
  })

  it('settings that cannot work are refused', async () => {
    const missing = await open({ bucket: 'no-such-bucket' })
    const calls = [() => missing.stat('x'), () => missing.list(), () => missing.put('x', bytesSource('1'))]
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'ERR_TARGET_SETTINGS' })

    const folder = await makeFolder('gcs-keys')
    const noKey = join(folder, 'no-key.json')
    await writeFile(noKey, '{"type": "authorized_user", "refresh_token": "s3cret"}')
    const noJson = join(folder, 'no-json.json')
    await writeFile(noJson, 's3cret')
    const wrong: Record<string, string>[] = [
      { bucket: '../x' },
      { prefix: '/x' },
      { api_endpoint: 'http://me:s3cret@example.org' },
      ...[noKey, noJson, join(folder, 'missing.json')].map((file) => ({ key_file: file })),
    ]
    for (const options of wrong) {
      const error: unknown = await open(options).catch((thrown: unknown) => thrown)
      expect(error, JSON.stringify(options)).toMatchObject({ code: 'ERR_TARGET_SETTINGS' })
      expect(String(error)).not.toContain('s3cret')
    }
  })

  it('a key that cannot sign is refused with the first call', async () => {
    const file = join(await makeFolder('gcs-keys'), 'key.json')
    await writeFile(file, JSON.stringify({ type: 'service_account', client_email: 'me@example.org', private_key: 'x' }))
    const target = await open({ key_file: file })
    const calls = [() => target.stat('x'), () => target.list(), () => target.put('x', bytesSource('1'))]
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'ERR_TARGET_SETTINGS' })
    expect(fake.requests).toEqual([])
  })

  const noRclone = toolIsMissing('rclone')
  it('other clients read what was written, and the other way round', async ({ skip }) => {
    if (noRclone) skip(noRclone)
    const config = join(await makeFolder('rclone'), 'rclone.conf')
    await writeFile(
      config,
      `[gcs]\ntype = google cloud storage\nanonymous = true\nbucket_policy_only = true\nendpoint = ${fake.url}/storage/v1/\n`,
    )
    const rclone = (args: string[], input?: Buffer) =>
      execa('rclone', ['--config', config, '--retries', '1', ...args], {
        encoding: 'buffer',
        ...(input && { input }),
      })
    const options = { bucket: 'backups', api_endpoint: fake.url, prefix: 'seen/' }
    const target = await openTarget({ type: 'gcs', options, environment: {} })
    for (const size of [0, 70_000, bigSize]) {
      const bytes = madeUpBytes(size)
      await target.put(`by-rclone/${size}`, pieces(bytes))
      const { stdout } = await rclone(['cat', `gcs:backups/seen/by-rclone/${size}`])
      expect(bytes.equals(stdout), `${size} bytes`).toBe(true)
    }
    const google = new Storage({ apiEndpoint: fake.url }).bucket('backups')
    const [{ size }] = await google.file(`seen/by-rclone/${bigSize}`).getMetadata()
    expect(size).toBe(String(bigSize))
    const bytes = madeUpBytes(70_000)
    await google.file('seen/from-google').save(bytes, { resumable: true, validation: 'crc32c' })
    expect(bytes.equals(await bytesOf(target, 'from-google'))).toBe(true)
    await rclone(['rcat', 'gcs:backups/seen/from-rclone'], bytes)
    expect(bytes.equals(await bytesOf(target, 'from-rclone'))).toBe(true)
  })
})
