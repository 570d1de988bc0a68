import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startFaultProxy } from '../../../../../tests/servers/fault-proxy.js'
import { toolIsMissing } from '../../../../../tests/servers/index.js'
import { run } from '../../../../../tests/servers/programs.js'
import { startSshd, type SshdOptions } from '../../../../../tests/servers/sshd.js'
import { bytesSource, openTarget, streamSource } from '../../index.js'
import { bytesOf } from '../checks/expect.js'
import { bytes, testDisturbedNetwork, testFaults, testFullDisk } from '../remote-files/faults-for-test.js'
import { storeOfTests } from '../remote-files/store-for-test.js'
import { sha256 } from '../remote-files/upload-for-test.js'

const missing = toolIsMissing('sshd') ?? toolIsMissing('ssh')
it.skipIf(!missing)('is tested with a real server', ({ skip }) => skip(missing))

const mebibyte = 1_048_576

const withSshd = (options: SshdOptions = {}) => storeOfTests('scp', () => startSshd(options))

describe.skipIf(missing)('a server with SFTP', () => {
  const store = withSshd()
  testFaults(store, {
    arriving: 2_000_000,
    rclone() {
      const { host, port, user, key } = store.server
      return `:sftp,host=${host},port=${port},user=${user},key_file=${key}:${store.path}`
    },
  })
  testDisturbedNetwork({ size: bytes.length, end: 'fin' }, async () => {
    const proxy = await startFaultProxy({ to: store.server.port })
    onTestFinished(() => proxy.close())
    return { target: await store.open({ port: String(proxy.port) }), folder: store.path, harm: proxy.set }
  })

  it('lets no one in with a wrong key, and is not asked for a password', async () => {
    await expect(store.open({ key: store.server.strangerKey })).rejects.toMatchObject({
      code: 'ERR_TARGET_REFUSED',
      message: expect.stringContaining('Permission denied') as string,
    })
  })

  it('whose host key is not known is not trusted', async () => {
    const known = join(store.path, 'known hosts')
    writeFileSync(known, '')
    await expect(store.open({ known_hosts: known })).rejects.toMatchObject({
      code: 'ERR_TARGET_IDENTITY',
      help: expect.stringContaining(`ssh-keyscan -p ${store.server.port} 127.0.0.1 >> '${known}'`) as string,
    })
  })

  it('has folders with any name', async () => {
    const path = join(store.path, `it's a "folder" with $(ls) \\ ü`)
    mkdirSync(path)
    const target = await store.open({ path: `${path}/` })
    await target.put('x/a', bytesSource('abc'))
    expect(await target.hash?.('x/a')).toEqual({ sha256: sha256(Buffer.from('abc')) })
    expect(readFileSync(join(path, 'x/a'), 'utf8')).toBe('abc')
  })

  it('gives other clients the same bytes', async () => {
    const target = await store.open()
    await target.put('set/a', bytesSource(bytes))
    const { server: sshd, path } = store
    const copy = join(sshd.folder, 'copy')
    const options = ['-q', '-P', String(sshd.port), '-i', sshd.key, '-o', `UserKnownHostsFile=${sshd.knownHosts}`]
    await run(['scp', ...options, `${sshd.host}:${join(path, 'set/a')}`, copy])
    expect(readFileSync(copy).equals(bytes)).toBe(true)
    await run(['scp', ...options, copy, `${sshd.host}:${join(path, 'set/b')}`])
    expect((await bytesOf(target, 'set/b')).equals(bytes)).toBe(true)
    expect((await target.list({ prefix: 'set/' })).objects.map(({ key }) => key)).toEqual(['set/a', 'set/b'])
  })

  it('needs the program ssh', async () => {
    await expect(store.open({}, { PATH: '/nowhere' })).rejects.toMatchObject({
      code: 'ERR_TARGET_SETTINGS',
      help: expect.stringContaining('apt-get install openssh-client') as string,
    })
  })

  // The last one: no client of the server is left.
  it('with another host key than the known one is not trusted', async () => {
    await store.server.changeHostKey()
    await expect(store.open()).rejects.toMatchObject({
      code: 'ERR_TARGET_IDENTITY',
      message: expect.stringContaining('Host key verification failed') as string,
      help: expect.stringContaining('ssh-keygen') as string,
    })
  })
})

describe.skipIf(missing)('a server whose sessions end at a limit of bytes', () => {
  // Where one write ends: of one that goes beyond, the server first says that it failed.
  const store = withSshd({ fileLimit: { bytes: mebibyte, beyond: 'kills' } })

  it('fails an upload: it neither succeeds nor waits for ever', async () => {
    const target = await store.open()
    const inOnePiece = streamSource(Readable.from([bytes], { objectMode: false }), bytes.length)
    await expect(target.put('a', inOnePiece)).rejects.toMatchObject({ code: 'ERR_TARGET_UNREACHABLE' })
    expect((await target.list()).objects).toEqual([])
    expect(readdirSync(store.path)).toEqual([])
  })
})

describe.skipIf(missing)('a server with a full disk', () => {
  testFullDisk(withSshd({ sftp: 'forced', fileLimit: { bytes: mebibyte, beyond: 'fails' } }))
})

describe.skipIf(missing).each(['none', 'missing'] as const)('a server without SFTP (%s)', (sftp) => {
  const store = withSshd({ sftp })

  it('is refused, with what to do there', async () => {
    await expect(store.open()).rejects.toMatchObject({
      code: 'ERR_TARGET_SETTINGS',
      transient: false,
      message: expect.stringMatching(/has no SFTP/) as string,
      help: expect.stringContaining('Subsystem sftp internal-sftp') as string,
    })
  })
})

describe.skipIf(missing).each(['sha256sum', 'openssl'])('a server without %s', (program) => {
  const store = withSshd({ without: [program] })

  it('hashes all the same', async () => {
    const target = await store.open()
    await target.put('a', bytesSource('abc'))
    expect(await target.hash?.('a')).toEqual({ sha256: sha256(Buffer.from('abc')) })
    await expect(target.hash?.('none')).rejects.toMatchObject({ code: 'ERR_TARGET_NOT_FOUND' })
  })
})

describe.skipIf(missing)('a server without any program that hashes', () => {
  const store = withSshd({ without: ['openssl', 'sha256sum'] })

  it('says so', async () => {
    expect((await store.open()).capabilities.hashes).toEqual([])
  })
})

describe.skipIf(missing)('a server that only gives', () => {
  const store = withSshd({ sftp: 'read-only' })

  it('refuses an upload and a deletion', async () => {
    const target = await store.open()
    writeFileSync(join(store.path, 'a'), 'abc')
    expect((await bytesOf(target, 'a')).toString()).toBe('abc')
    expect(target.capabilities.hashes).toEqual([])
    await expect(target.put('b', bytesSource('abc'))).rejects.toMatchObject({ code: 'ERR_TARGET_REFUSED' })
    await expect(target.delete('a')).rejects.toMatchObject({ code: 'ERR_TARGET_REFUSED' })
  })
})

describe.skipIf(missing)('a server whose SFTP can do little', () => {
  const store = withSshd({ sftp: 'bare' })

  it('stores, replaces and keeps objects', async () => {
    const target = await store.open()
    expect(target.capabilities).toMatchObject({ conditionalCreate: false, hashes: [] })
    await target.put('set/a', bytesSource('abc'))
    await expect(target.put('set/a', bytesSource('d'), { ifAbsent: true })).rejects.toMatchObject({
      code: 'ERR_TARGET_EXISTS',
    })
    await target.put('set/a', bytesSource(bytes))
    expect((await bytesOf(target, 'set/a')).equals(bytes)).toBe(true)
    expect(readdirSync(join(store.path, 'set'))).toEqual(['a'])
  })
})

describe('the settings', () => {
  const open = (options: Record<string, string>) => openTarget({ type: 'scp', options })

  it.each<Record<string, string>>([
    { server: '-oProxyCommand=x' },
    { server: 'two words' },
    { server: 'user@host' },
    { server: 'host:0' },
    { server: 'host:99999' },
    { server: 'host', port: 'ssh' },
    { server: 'host:22', port: '23' },
    { server: 'host', user: '-x' },
    { server: 'host', user: 'a b' },
    { server: 'host', path: 'a\nb' },
    { server: 'host', key: '/no/such/key' },
    { server: 'host', known_hosts: '/no/such/file' },
    { server: '' },
  ])('%j are refused', async (options) => {
    await expect(open(options)).rejects.toMatchObject({ code: 'ERR_TARGET_SETTINGS' })
  })

  it('say where it goes', async () => {
    const { target } = await import('./target.js')
    expect(target.describe({ server: 'host', user: 'backup', path: '/srv/it' })).toBe('scp://backup@host/srv/it')
    expect(target.describe({ server: '[::1]:23', path: '~/it' })).toBe('scp://[::1]:23/~/it')
    expect(target.describe({ server: 'host', port: '22' })).toBe('scp://host:22/~/')
  })
})
