import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openTarget, bytesSource, reliable, type BackupTarget } from '@steward/backup-targets'
import { testBackupTarget } from '@steward/backup-targets/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startFaultProxy, type FaultProxy } from '../../tests/servers/fault-proxy.js'
import { toolIsMissing } from '../../tests/servers/tools.js'
import { startWebdav, type TestWebdav } from '../../tests/servers/webdav.js'

const missing = toolIsMissing('rclone')

/** As the manager opens it: by the name of its package. */
const open = (options: Record<string, string>) => openTarget({ type: '@steward/example-backup-target-webdav', options })

it('refuses what is not an address before anything is sent', async () => {
  for (const url of ['', 'backup.example.com', 'ftp://example.com/', 'https://me:secret@example.com/'])
    await expect(open({ url })).rejects.toMatchObject({
      code: 'ERR_TARGET_SETTINGS',
      message: expect.not.stringContaining('secret'),
    })
  await expect(open({ url: 'https://example.com/', prefix: '../' })).rejects.toMatchObject({
    code: 'ERR_TARGET_SETTINGS',
  })
  await expect(open({})).rejects.toThrow('needs "url"')
})

it.runIf(missing)('against a real server', ({ skip }) => skip(missing))

describe.skipIf(missing)('against rclone', () => {
  let server: TestWebdav
  let proxy: FaultProxy
  const settings = (more: Record<string, string> = {}) => ({
    ...{ url: server.url, user: server.user, password: server.password, prefix: 'backups/' },
    ...more,
  })

  beforeAll(async () => {
    server = await startWebdav()
    proxy = await startFaultProxy({ to: server.port })
  })

  afterAll(async () => {
    await proxy.close()
    await server.close()
  })

  testBackupTarget({ name: 'webdav', open: () => open(settings()) })

  it('stores plain files, which any other client can read', async () => {
    const target = await open(settings())
    await target.put('demo/1/manifest.json', bytesSource('{}'))
    await expect.poll(() => readdirSync(join(server.store, 'backups/demo/1'))).toEqual(['manifest.json'])
    expect(readFileSync(join(server.store, 'backups/demo/1/manifest.json'), 'utf8')).toBe('{}')
  })

  it('says who was refused, and does not take that for an absent object', async () => {
    const target = await open(settings({ password: 'wrong' }))
    await expect(target.stat('a')).rejects.toMatchObject({ code: 'ERR_TARGET_REFUSED', transient: false })
  })

  it('leaves nothing of an upload that was cut, and stores it all the same when it is tried again', async () => {
    const bytes = Buffer.alloc(500_000, 'abc')
    const target = await open(settings({ url: `http://127.0.0.1:${proxy.port}` }))
    proxy.set({ kind: 'reset', afterBytes: 200_000 })
    await expect(target.put('cut/a', bytesSource(bytes))).rejects.toMatchObject({ code: 'ERR_TARGET_UNREACHABLE' })
    expect(await target.stat('cut/a')).toBeUndefined()
    // The server may hear of the cut after the target has removed what was there.
    const later = new Date(Date.now() + 86_400_000)
    const swept = async () => (await target.sweep({ before: later }), readdirSync(join(server.store, 'backups/cut')))
    await expect.poll(swept).toEqual([])
    proxy.set({ kind: 'reset', afterBytes: 200_000, times: 2 })
    const retried: BackupTarget = reliable(target, { minPauseMs: 1, maxPauseMs: 10 })
    await retried.put('cut/a', bytesSource(bytes))
    expect(proxy.faults).toBe(3)
    proxy.set({ kind: 'reset', afterBytes: 200_000, direction: 'down', times: 2 })
    const read = Buffer.concat((await (await retried.get('cut/a')).toArray()) as Buffer[])
    expect(read.equals(bytes)).toBe(true)
  })

  it('is cut off and tried again when the server falls silent', async () => {
    // More than the system takes from an upload that is not read.
    const bytes = Buffer.alloc(24_000_000, 'abc')
    const target = reliable(await open(settings({ url: `http://127.0.0.1:${proxy.port}` })), {
      minPauseMs: 1,
      maxPauseMs: 10,
      idleMs: 700,
    })
    const before = proxy.faults
    proxy.set({ kind: 'blackhole', afterBytes: 200_000 })
    await target.put('silent/a', bytesSource(bytes))
    proxy.set({ kind: 'blackhole', afterBytes: 200_000, direction: 'down' })
    const read = Buffer.concat((await (await target.get('silent/a')).toArray()) as Buffer[])
    expect(read.equals(bytes)).toBe(true)
    expect(proxy.faults - before).toBe(2)
  })

  it('says that the server is gone', async () => {
    const target = await open(settings())
    await server.stop()
    await expect(target.put('a', bytesSource('a'))).rejects.toMatchObject({ code: 'ERR_TARGET_UNREACHABLE' })
    expect(existsSync(join(server.store, 'backups/a'))).toBe(false)
  })
})
