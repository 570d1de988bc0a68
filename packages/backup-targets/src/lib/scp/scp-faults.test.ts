import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { startFaultProxy } from '../../../../../tests/servers/fault-proxy.js'
import { toolIsMissing } from '../../../../../tests/servers/index.js'
import { run } from '../../../../../tests/servers/programs.js'
import { startSshd, type SshdOptions, type TestSshd } from '../../../../../tests/servers/sshd.js'
import { bytesSource, openTarget, reliable, streamSource, type BackupTarget } from '../../index.js'
import { bytesOf } from '../checks/expect.js'
import { madeUpBytes } from '../checks/made-up.js'
import { interrupted, sha256 } from '../remote-files/upload-for-test.js'

const missing = toolIsMissing('sshd') ?? toolIsMissing('ssh')
it.skipIf(!missing)('is tested with a real server', ({ skip }) => skip(missing))

const bytes = madeUpBytes(3_000_000)
const upload = sha256(bytes)
const mebibyte = 1_048_576

/** A server for the tests of a group, and an empty folder on it for each. */
function withSshd(options: SshdOptions = {}) {
  let sshd: TestSshd
  let path: string
  const opened: BackupTarget[] = []
  beforeAll(async () => {
    sshd = await startSshd(options)
  })
  beforeEach(({ task }) => {
    mkdirSync((path = join(sshd.store, task.id)))
  })
  afterAll(async () => {
    await Promise.all(opened.map((target) => target.close()))
    await sshd?.close()
  })
  return {
    get sshd() {
      return sshd
    },
    get path() {
      return path
    },
    async open(changed: Record<string, string> = {}, environment?: Record<string, string>) {
      const target = await openTarget({ type: 'scp', options: { ...sshd.options, path, ...changed }, environment })
      opened.push(target)
      return target
    },
  }
}

describe.skipIf(missing)('a server with SFTP', () => {
  const server = withSshd()
  const part = () => join(server.path, `.a.${upload}.part`)

  it('that is killed in mid-upload fails it; the next one goes on behind what is there', async () => {
    const target = await server.open()
    const cut = interrupted(bytes, 2_000_000, async () => {
      await vi.waitUntil(() => statSync(part()).size === 2_000_000)
      server.sshd.killSessions()
    })
    await expect(target.put('a', cut, { upload })).rejects.toMatchObject({ code: 'ERR_TARGET_UNREACHABLE' })
    expect((await target.list()).objects).toEqual([])
    expect(await target.stat('a')).toBeUndefined()
    const told: number[] = []
    await target.put('a', bytesSource(bytes), { upload, onProgress: (at) => told.push(at) })
    expect(told[0]).toBe(2_000_000)
    expect(readFileSync(join(server.path, 'a')).equals(bytes)).toBe(true)
    expect(readdirSync(server.path)).toEqual(['a'])
  })

  it('finds by its hash that what is there was damaged, and gets it anew', async () => {
    const damaged = Buffer.from(bytes.subarray(0, 2_000_000))
    damaged[10] = (damaged[10] as number) ^ 1
    writeFileSync(part(), damaged)
    await (await server.open()).put('a', bytesSource(bytes), { upload })
    expect(readFileSync(join(server.path, 'a')).equals(bytes)).toBe(true)
  })

  it('behind a network that is cut and silent gets all, by and by', async () => {
    const proxy = await startFaultProxy({ to: server.sshd.port })
    const plain = await server.open({ port: String(proxy.port) })
    const seen: string[] = []
    const target = reliable(plain, {
      minPauseMs: 1,
      maxPauseMs: 5,
      idleMs: 1500,
      onRetry: ({ error }) => seen.push(error.message),
    })
    proxy.set({ kind: 'reset', afterBytes: 1_000_000 })
    await target.put('a', bytesSource(bytes), { upload })
    proxy.set({ kind: 'blackhole', afterBytes: 1_000_000 })
    await target.put('b', bytesSource(bytes), { upload })
    proxy.set({ kind: 'fin', afterBytes: 1_000_000, direction: 'down' })
    expect((await bytesOf(target, 'a')).equals(bytes)).toBe(true)
    expect(readFileSync(join(server.path, 'b')).equals(bytes)).toBe(true)
    expect(seen).toContain('Nothing moved for 1.5 s.')
    expect(seen.length).toBeGreaterThanOrEqual(3)
    await target.close()
    await proxy.close()
  })

  it('lets nobody in with a wrong key, and is not asked for a password', async () => {
    await expect(server.open({ key: server.sshd.strangerKey })).rejects.toMatchObject({
      code: 'ERR_TARGET_REFUSED',
      message: expect.stringContaining('Permission denied') as string,
    })
  })

  it('whose host key is not known is not trusted', async () => {
    const known = join(server.path, 'known hosts')
    writeFileSync(known, '')
    await expect(server.open({ known_hosts: known })).rejects.toMatchObject({
      code: 'ERR_TARGET_IDENTITY',
      help: expect.stringContaining(`ssh-keyscan -p ${server.sshd.port} 127.0.0.1 >> '${known}'`) as string,
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

  it('has folders with any name', async () => {
    const path = join(server.path, `it's a "folder" with $(ls) \\ ü`)
    mkdirSync(path)
    const target = await server.open({ path: `${path}/` })
    await target.put('x/a', bytesSource('abc'))
    expect(await target.hash?.('x/a')).toEqual({ sha256: sha256(Buffer.from('abc')) })
    expect(readFileSync(join(path, 'x/a'), 'utf8')).toBe('abc')
  })

  it('gives other clients the same bytes', async () => {
    const target = await server.open()
    await target.put('set/a', bytesSource(bytes))
    const { sshd, path } = server
    const copy = join(sshd.folder, 'copy')
    const options = ['-q', '-P', String(sshd.port), '-i', sshd.key, '-o', `UserKnownHostsFile=${sshd.knownHosts}`]
    await run(['scp', ...options, `${sshd.host}:${join(path, 'set/a')}`, copy])
    expect(readFileSync(copy).equals(bytes)).toBe(true)
    await run(['scp', ...options, copy, `${sshd.host}:${join(path, 'set/b')}`])
    expect((await bytesOf(target, 'set/b')).equals(bytes)).toBe(true)
    expect((await target.list({ prefix: 'set/' })).objects.map(({ key }) => key)).toEqual(['set/a', 'set/b'])
  })

  it.skipIf(toolIsMissing('rclone'))('gives rclone the same bytes', async () => {
    await (await server.open()).put('set/a', bytesSource(bytes))
    const { sshd, path } = server
    const remote = `:sftp,host=${sshd.host},port=${sshd.port},user=${sshd.user},key_file=${sshd.key}:${path}`
    const sums = await run(['rclone', '--config', '/dev/null', 'hashsum', 'sha256', '--download', remote])
    expect(sums.trim()).toBe(`${upload}  set/a`)
  })

  it('needs the program ssh', async () => {
    await expect(server.open({}, { PATH: '/nowhere' })).rejects.toMatchObject({
      code: 'ERR_TARGET_SETTINGS',
      help: expect.stringContaining('apt-get install openssh-client') as string,
    })
  })

  it('that is away when the target is opened is found when it comes back', async () => {
    await server.sshd.stop()
    const target = await server.open()
    expect(target.capabilities.hashes).toEqual([])
    await expect(target.stat('a')).rejects.toMatchObject({ code: 'ERR_TARGET_UNREACHABLE' })
    await server.sshd.start()
    expect(await target.stat('a')).toBeUndefined()
    expect(target.capabilities.hashes).toEqual(['sha256'])
  })

  // The last one: nobody knows the server any more.
  it('with another host key than the known one is not trusted', async () => {
    await server.sshd.changeHostKey()
    await expect(server.open()).rejects.toMatchObject({
      code: 'ERR_TARGET_IDENTITY',
      message: expect.stringContaining('Host key verification failed') as string,
      help: expect.stringContaining('ssh-keygen') as string,
    })
  })
})

describe.skipIf(missing)('a server whose sessions end at a limit of bytes', () => {
  // Where one write ends: of one that goes beyond, the server first says that it failed.
  const server = withSshd({ fileLimit: { bytes: mebibyte, beyond: 'kills' } })

  it('fails an upload: it neither succeeds nor waits for ever', async () => {
    const target = await server.open()
    const inOnePiece = streamSource(Readable.from([bytes], { objectMode: false }), bytes.length)
    await expect(target.put('a', inOnePiece)).rejects.toMatchObject({ code: 'ERR_TARGET_UNREACHABLE' })
    expect((await target.list()).objects).toEqual([])
    expect(readdirSync(server.path)).toEqual([])
  })
})

describe.skipIf(missing).each(['forced', 'none'] as const)('a server with a full disk, SFTP: %s', (sftp) => {
  const server = withSshd({ sftp, fileLimit: { bytes: mebibyte, beyond: 'fails' } })

  it('says so, and keeps nothing of the upload', async () => {
    const target = await server.open()
    await expect(target.put('a', bytesSource(bytes), { upload })).rejects.toMatchObject({ code: 'ERR_TARGET_FULL' })
    expect(readdirSync(server.path)).toEqual([])
    await target.put('b', bytesSource('abc'))
    expect((await target.list()).objects.map(({ key }) => key)).toEqual(['b'])
  })
})

describe.skipIf(missing).each([
  { without: ['sha256sum'], sftp: undefined },
  { without: ['openssl'], sftp: undefined },
  { without: ['sha256sum'], sftp: 'none' },
  { without: ['openssl'], sftp: 'none' },
] as const)('a server without $without, SFTP: $sftp', (options) => {
  const server = withSshd(options)

  it('hashes all the same', async () => {
    const target = await server.open()
    await target.put('a', bytesSource(bytes))
    expect(await target.hash?.('a')).toEqual({ sha256: upload })
    await expect(target.hash?.('none')).rejects.toMatchObject({ code: 'ERR_TARGET_NOT_FOUND' })
  })
})

describe.skipIf(missing)('a server without any program that hashes', () => {
  const server = withSshd({ without: ['openssl', 'sha256sum'] })

  it('says so', async () => {
    expect((await server.open()).capabilities.hashes).toEqual([])
  })
})

describe.skipIf(missing)('a server that only gives', () => {
  const server = withSshd({ sftp: 'read-only' })

  it('refuses an upload and a deletion', async () => {
    const target = await server.open()
    writeFileSync(join(server.path, 'a'), 'abc')
    expect((await bytesOf(target, 'a')).toString()).toBe('abc')
    expect(target.capabilities.hashes).toEqual([])
    await expect(target.put('b', bytesSource('abc'))).rejects.toMatchObject({ code: 'ERR_TARGET_REFUSED' })
    await expect(target.delete('a')).rejects.toMatchObject({ code: 'ERR_TARGET_REFUSED' })
  })
})

describe.skipIf(missing)('a server whose SFTP can do little', () => {
  const server = withSshd({ sftp: 'bare' })

  it('stores, replaces and keeps objects', async () => {
    const target = await server.open()
    expect(target.capabilities).toMatchObject({ conditionalCreate: false, hashes: [] })
    await target.put('set/a', bytesSource('abc'))
    await expect(target.put('set/a', bytesSource('d'), { ifAbsent: true })).rejects.toMatchObject({
      code: 'ERR_TARGET_EXISTS',
    })
    await target.put('set/a', bytesSource(bytes))
    expect((await bytesOf(target, 'set/a')).equals(bytes)).toBe(true)
    expect(readdirSync(join(server.path, 'set'))).toEqual(['a'])
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
    const { target } = await import('./target-type.js')
    expect(target.describe({ server: 'host', user: 'backup', path: '/srv/it' })).toBe('scp://backup@host/srv/it')
    expect(target.describe({ server: '[::1]:23', path: '~/it' })).toBe('scp://[::1]:23/~/it')
    expect(target.describe({ server: 'host', port: '22' })).toBe('scp://host:22/~/')
  })
})
