import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { chown } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { startFaultProxy, type FaultProxy } from '../../../../../tests/servers/fault-proxy.js'
import { toolIsMissing } from '../../../../../tests/servers/index.js'
import { startProftpd, type ProftpdOptions, type TestProftpd } from '../../../../../tests/servers/proftpd.js'
import { run } from '../../../../../tests/servers/programs.js'
import { freePort } from '../../../../../tests/servers/ports.js'
import { bytesSource, openTarget, reliable, type BackupTarget } from '../../index.js'
import { bytesOf } from '../checks/expect.js'
import { madeUpBytes } from '../checks/made-up.js'
import { interrupted, sha256 } from '../remote-files/upload-for-test.js'

const missing = toolIsMissing('proftpd')
it.skipIf(!missing)('is tested with a real server', ({ skip }) => skip(missing))

const bytes = madeUpBytes(3_000_000)
const upload = sha256(bytes)

/** A server for the tests of a group, and an empty folder on it for each. */
function withProftpd(options: ProftpdOptions = {}) {
  let proftpd: TestProftpd
  let path: string
  const opened: BackupTarget[] = []
  beforeAll(async () => {
    proftpd = await startProftpd(options)
  })
  beforeEach(async ({ task }) => {
    mkdirSync((path = join(proftpd.store, task.id)))
    const { uid, gid } = statSync(proftpd.store)
    await chown(path, uid, gid)
  })
  afterAll(async () => {
    await Promise.all(opened.map((target) => target.close()))
    await proftpd?.close()
  })
  return {
    get proftpd() {
      return proftpd
    },
    get path() {
      return path
    },
    async open(changed: Record<string, string> = {}, idleMs?: number) {
      const target = await openTarget({ type: 'ftp', options: { ...proftpd.options, path, ...changed }, idleMs })
      opened.push(target)
      return target
    },
  }
}

describe.skipIf(missing)('a plain server', () => {
  const server = withProftpd()
  const part = () => join(server.path, `.a.${upload}.part`)

  it('that is killed in mid-upload fails it; the next one goes on behind what is there', async () => {
    const target = await server.open()
    const cut = interrupted(bytes, 2_000_000, async () => {
      await vi.waitUntil(() => statSync(part()).size > 1_000_000)
      server.proftpd.killSessions()
    })
    await expect(target.put('a', cut, { upload })).rejects.toMatchObject({ code: 'ERR_TARGET_UNREACHABLE' })
    const there = statSync(part()).size
    expect((await target.list()).objects).toEqual([])
    expect(await target.stat('a')).toBeUndefined()
    const told: number[] = []
    await target.put('a', bytesSource(bytes), { upload, onProgress: (at) => told.push(at) })
    expect(told[0]).toBe(there)
    expect(readFileSync(join(server.path, 'a')).equals(bytes)).toBe(true)
    expect(readdirSync(server.path)).toEqual(['a'])
  })

  it('finds by its hash that what is there was damaged, and gets it anew', async () => {
    const damaged = Buffer.from(bytes.subarray(0, 2_000_000))
    damaged[10] = (damaged[10] as number) ^ 1
    writeFileSync(part(), damaged, { mode: 0o666 })
    const { uid, gid } = statSync(server.path)
    await chown(part(), uid, gid)
    await (await server.open()).put('a', bytesSource(bytes), { upload })
    expect(readFileSync(join(server.path, 'a')).equals(bytes)).toBe(true)
  })

  it('does not let a wrong password in, and the password is not told', async () => {
    const failure = await server.open({ password: 'not-secret' }).catch((error: unknown) => error as Error)
    expect(failure).toMatchObject({ code: 'ERR_TARGET_REFUSED' })
    expect(`${(failure as Error).stack} ${JSON.stringify(failure)}`).not.toContain('not-secret')
  })

  it('is not used when TLS is wanted, as it is by default', async () => {
    await expect(server.open({ tls: '' })).rejects.toMatchObject({
      code: 'ERR_TARGET_SETTINGS',
      message: expect.stringContaining('does not encrypt') as string,
    })
  })

  it('without such a folder is told so, and none is made', async () => {
    const path = join(server.path, 'not there')
    await expect(server.open({ path })).rejects.toMatchObject({
      code: 'ERR_TARGET_SETTINGS',
      message: expect.stringContaining('There is no folder') as string,
    })
    expect(existsSync(path)).toBe(false)
  })

  it.skipIf(toolIsMissing('rclone'))('gives rclone the same bytes', async () => {
    await (await server.open()).put('set/a', bytesSource(bytes))
    const { host, port, user, password } = server.proftpd
    const obscured = (await run(['rclone', 'obscure', password])).trim()
    const remote = `:ftp,host=${host},port=${port},user=${user},pass=${obscured}:${server.path}`
    const sums = await run(['rclone', '--config', '/dev/null', 'hashsum', 'sha256', '--download', remote])
    expect(sums.trim()).toBe(`${upload}  set/a`)
  })

  it('that is away when the target is opened is found when it comes back', async () => {
    await server.proftpd.stop()
    const target = await server.open()
    expect(target.capabilities.hashes).toEqual([])
    await expect(target.stat('a')).rejects.toMatchObject({ code: 'ERR_TARGET_UNREACHABLE' })
    await server.proftpd.start()
    expect(await target.stat('a')).toBeUndefined()
    expect(target.capabilities.hashes).toEqual(['sha256'])
  })
})

// Another address of this machine, at which proxies have the ports of the server.
describe.skipIf(missing ?? process.platform !== 'linux')('a server behind a network that is cut and silent', () => {
  const host = '127.0.0.2'
  // More than the system takes by itself.
  const many = madeUpBytes(16_000_000)
  let proftpd: TestProftpd
  let control: FaultProxy | undefined
  const data: FaultProxy[] = []

  beforeAll(async () => {
    const first = await freePort()
    proftpd = await startProftpd({ dataPorts: { first, last: first + 1 } })
    control = await startFaultProxy({ to: proftpd.port, host, port: proftpd.port })
    for (const port of [first, first + 1]) data.push(await startFaultProxy({ to: port, host, port }))
  })
  afterAll(async () => {
    await control?.close()
    await Promise.all(data.map((proxy) => proxy.close()))
    await proftpd?.close()
  })

  it('gets all, by and by', async () => {
    const plain = await openTarget({ type: 'ftp', options: { ...proftpd.options, server: host } })
    const seen: string[] = []
    const onRetry = ({ error }: { error: Error }) => seen.push(error.message)
    const target = reliable(plain, { minPauseMs: 1, maxPauseMs: 5, idleMs: 1500, onRetry })
    for (const kind of ['reset', 'blackhole'] as const) {
      for (const proxy of data) proxy.set({ kind, afterBytes: 1_000_000 })
      await target.put(kind, bytesSource(many), { upload: sha256(many) })
      expect(readFileSync(join(proftpd.store, kind)).equals(many)).toBe(true)
    }
    for (const proxy of data) proxy.set({ kind: 'reset', afterBytes: 1_000_000, direction: 'down' })
    expect((await bytesOf(target, 'reset')).equals(many)).toBe(true)
    expect(seen.length).toBeGreaterThanOrEqual(3)
    expect(seen).toContain('Nothing moved for 1.5 s.')
    await target.close()
  })
})

describe.skipIf(missing).each(['none', 'explicit'] as const)('a server with a full disk, TLS: %s', (tls) => {
  const server = withProftpd({ tls, lines: ['MaxStoreFileSize 1 Mb'] })

  it('says so, although it breaks the connection of the data first, and keeps nothing of the upload', async () => {
    const target = await server.open()
    await expect(target.put('a', bytesSource(bytes), { upload })).rejects.toMatchObject({ code: 'ERR_TARGET_FULL' })
    expect(readdirSync(server.path)).toEqual([])
    await target.put('b', bytesSource('abc'))
    expect((await target.list()).objects.map(({ key }) => key)).toEqual(['b'])
  })
})

describe.skipIf(missing)('a server with TLS', () => {
  const server = withProftpd({ tls: 'explicit' })

  it('whose certificate nobody vouches for is not trusted', async () => {
    await expect(server.open({ ca: '' })).rejects.toMatchObject({ code: 'ERR_TARGET_IDENTITY' })
  })

  it('is not asked without TLS', async () => {
    await expect(server.open({ tls: 'none', ca: '' })).rejects.toMatchObject({ code: 'ERR_TARGET_SETTINGS' })
  })

  it('whose TLS begins later is told so', async () => {
    await expect(server.open({ tls: 'implicit' })).rejects.toMatchObject({ code: 'ERR_TARGET_SETTINGS' })
  })
})

describe.skipIf(missing)('a server with implicit TLS', () => {
  const server = withProftpd({ tls: 'implicit' })

  it('stores and gives objects', async () => {
    const target = await server.open()
    await target.put('set/a', bytesSource(bytes))
    expect((await bytesOf(target, 'set/a', { start: 1_000_000 })).equals(bytes.subarray(1_000_000))).toBe(true)
    expect(await target.hash?.('set/a')).toEqual({ sha256: upload })
  })
})

describe.skipIf(missing)('a server that can do little', () => {
  const server = withProftpd({ lines: ['FactsAdvertise off', 'DigestEngine off'] })

  it('stores, lists, gives and sweeps objects', async () => {
    const target = await server.open()
    expect(target.capabilities.hashes).toEqual([])
    const before = new Date(Date.now() - 60_000)
    await target.put('set/a', bytesSource(bytes))
    const [listed] = (await target.list()).objects
    expect(listed).toEqual(await target.stat('set/a'))
    expect(listed?.modified.getTime()).toBeGreaterThan(before.getTime())
    expect((await bytesOf(target, 'set/a')).equals(bytes)).toBe(true)
    const broken = interrupted(bytes, 65_536, () => Promise.reject(new Error('broken')))
    await expect(target.put('set/b', broken, { upload })).rejects.toThrow('broken')
    expect(readdirSync(join(server.path, 'set'))).toEqual([`.b.${upload}.part`, 'a'])
    expect(await target.sweep({ before })).toBe(0)
    expect(await target.sweep({ before: new Date(Date.now() + 60_000) })).toBe(1)
    expect(await target.delete('set/a')).toBe(true)
    expect(readdirSync(server.path)).toEqual([])
  })
})

describe('the settings', () => {
  it.each<Record<string, string>>([
    { server: 'two words' },
    { server: 'host', tls: 'maybe' },
    { server: 'host', ca: '/no/such/file' },
    { server: 'host', user: 'a\r\nDELE b' },
    { server: 'host', password: 'a\nb' },
    { server: 'host', path: 'a\r\nb' },
    { server: 'host:1', port: '2' },
  ])('%j are refused', async (options) => {
    await expect(openTarget({ type: 'ftp', options })).rejects.toMatchObject({ code: 'ERR_TARGET_SETTINGS' })
  })

  it('say where it goes, without the password', async () => {
    const { target } = await import('./target-type.js')
    const options = { server: 'host', user: 'backup', password: 'secret', path: '/srv' }
    expect(target.describe({ ...options, tls: 'none' })).toBe('ftp://backup@host/srv')
    expect(target.describe({ ...options, port: '990', tls: 'implicit', path: '' })).toBe('ftps://backup@host:990/~/')
    const server = 'ftp://backup:secret@host'
    expect(target.describe({ server })).not.toContain('secret')
    const failure = await openTarget({ type: 'ftp', options: { server } }).catch((error: unknown) => error as Error)
    expect(failure).toMatchObject({ code: 'ERR_TARGET_SETTINGS' })
    expect(String(failure)).not.toContain('secret')
  })
})
