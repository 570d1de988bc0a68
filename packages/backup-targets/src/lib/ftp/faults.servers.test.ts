import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startFaultProxy, type FaultProxy } from '../../../../../tests/servers/fault-proxy.js'
import { toolIsMissing } from '../../../../../tests/servers/index.js'
import { startProftpd, type ProftpdOptions, type TestProftpd } from '../../../../../tests/servers/proftpd.js'
import { run } from '../../../../../tests/servers/programs.js'
import { bytesSource, openTarget } from '../../index.js'
import { bytesOf } from '../checks/expect.js'
import { bytes, testDisturbedNetwork, testFaults, testFullDisk, upload } from '../remote-files/faults-for-test.js'
import { storeOfTests } from '../remote-files/store-for-test.js'
import { interrupted } from '../remote-files/upload-for-test.js'
import { takePorts } from '../../../../manager-core/src/lib/testing/take-ports.js'

const missing = toolIsMissing('proftpd')
it.skipIf(!missing)('is tested with a real server', ({ skip }) => skip(missing))

const withProftpd = (options: ProftpdOptions = {}) => storeOfTests('ftp', () => startProftpd(options))

describe.skipIf(missing)('a plain server', () => {
  const store = withProftpd()
  testFaults(store, {
    arriving: 1_000_000,
    async rclone() {
      const { host, port, user, password } = store.server
      const obscured = (await run(['rclone', 'obscure', password])).trim()
      return `:ftp,host=${host},port=${port},user=${user},pass=${obscured}:${store.path}`
    },
  })

  it('does not let a wrong password in, and the password is not shown', async () => {
    const failure = await store.open({ password: 'not-secret' }).catch((error: unknown) => error as Error)
    expect(failure).toMatchObject({ code: 'ERR_TARGET_REFUSED' })
    expect(`${(failure as Error).stack} ${JSON.stringify(failure)}`).not.toContain('not-secret')
  })

  it('is not used when TLS is wanted, as it is by default', async () => {
    await expect(store.open({ tls: '' })).rejects.toMatchObject({
      code: 'ERR_TARGET_SETTINGS',
      message: expect.stringContaining('does not encrypt') as string,
    })
  })
})

// Another address of this machine, at which proxies have the ports of the server.
describe.skipIf(missing ?? process.platform !== 'linux')('a server on a network that is cut and silent', () => {
  const host = '127.0.0.2'
  let proftpd: TestProftpd
  let control: FaultProxy | undefined
  const data: FaultProxy[] = []
  const ports = takePorts()

  beforeAll(async () => {
    const first = Number.parseInt(ports.range, 10)
    proftpd = await startProftpd({ dataPorts: { first, last: first + 1 } })
    control = await startFaultProxy({ to: proftpd.port, host, port: proftpd.port })
    for (const port of [first, first + 1]) data.push(await startFaultProxy({ to: port, host, port }))
  })
  afterAll(async () => {
    await control?.close()
    await Promise.all(data.map((proxy) => proxy.close()))
    await proftpd?.close()
    ports.release()
  })

  testDisturbedNetwork({ size: 16_000_000, end: 'reset' }, async () => ({
    target: await openTarget({ type: 'ftp', options: { ...proftpd.options, server: host } }),
    folder: proftpd.store,
    harm(fault) {
      for (const proxy of data) proxy.set(fault)
    },
  }))
})

describe.skipIf(missing).each(['none', 'explicit'] as const)('a server with a full disk, TLS: %s', (tls) => {
  // It breaks the connection of the data before it says why.
  testFullDisk(withProftpd({ tls, lines: ['MaxStoreFileSize 1 Mb'] }))
})

// The server pauses when a connection has ended: no test waits for the pauses of the others.
describe.skipIf(missing)('a server with TLS', { concurrent: true }, () => {
  const store = withProftpd({ tls: 'explicit' })

  it('with a certificate of no known authority is not trusted', async ({ expect }) => {
    await expect(store.open({ ca: '' })).rejects.toMatchObject({ code: 'ERR_TARGET_IDENTITY' })
  })

  it('is not asked without TLS', async ({ expect }) => {
    await expect(store.open({ tls: 'none', ca: '' })).rejects.toMatchObject({ code: 'ERR_TARGET_SETTINGS' })
  })

  it('whose TLS starts later gets an error that says so', async ({ expect }) => {
    await expect(store.open({ tls: 'implicit' })).rejects.toMatchObject({ code: 'ERR_TARGET_SETTINGS' })
  })
})

describe.skipIf(missing)('a server with implicit TLS', () => {
  const store = withProftpd({ tls: 'implicit' })

  it('stores and gives objects', async () => {
    const target = await store.open()
    await target.put('set/a', bytesSource(bytes))
    expect((await bytesOf(target, 'set/a', { start: 1_000_000 })).equals(bytes.subarray(1_000_000))).toBe(true)
    expect(await target.hash?.('set/a')).toEqual({ sha256: upload })
  })
})

describe.skipIf(missing)('a server that can do little', () => {
  const store = withProftpd({ lines: ['FactsAdvertise off', 'DigestEngine off'] })

  it('stores, lists, gives and sweeps objects', async () => {
    const target = await store.open()
    expect(target.capabilities.hashes).toEqual([])
    const before = new Date(Date.now() - 60_000)
    await target.put('set/a', bytesSource(bytes))
    const [listed] = (await target.list()).objects
    expect(listed).toEqual(await target.stat('set/a'))
    expect(listed?.modified.getTime()).toBeGreaterThan(before.getTime())
    expect((await bytesOf(target, 'set/a')).equals(bytes)).toBe(true)
    const broken = interrupted(bytes, 65_536, () => Promise.reject(new Error('broken')))
    await expect(target.put('set/b', broken, { upload })).rejects.toThrow('broken')
    expect(readdirSync(join(store.path, 'set'))).toEqual([`.b.${upload}.part`, 'a'])
    expect(await target.sweep({ before })).toBe(0)
    expect(await target.sweep({ before: new Date(Date.now() + 60_000) })).toBe(1)
    expect(await target.delete('set/a')).toBe(true)
    expect(readdirSync(store.path)).toEqual([])
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
    const { target } = await import('./target.js')
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
