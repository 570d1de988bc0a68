/** @module-tag mixed */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bytesSource, TargetError, type BackupTarget } from '@steward/backup-targets'
import { corrupting, cutting, failing, slow } from '@steward/backup-targets/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { canMount, mountMemory, unmount } from '../../testing/small-disk.js'
import { removeCopies } from './remove-copy.js'
import { createManagerWithBackup, type ManagerWithBackup } from '../../testing/manager-with-store.js'

const mountable = canMount()
const reason = mountable ? '' : ' (skipped: it takes the right to mount a small file system)'

describe('a target', () => {
  let test: ManagerWithBackup
  beforeEach(async () => {
    test = await createManagerWithBackup()
  })
  afterEach(() => test.close())

  const demo = { name: 'demo' }
  const exported = (input = {}) => test.perform('backups export', { ...demo, ...input })
  const listed = async () => (await test.perform('backups list', { ...demo, at: 'nas' })).list

  it('that is cut off in mid-upload continues where it was, by the next export', async () => {
    test.behind((folder) => cutting(folder, { afterBytes: 700_000 }))
    await expect(exported()).rejects.toMatchObject({
      code: 'ERR_TARGET',
      message: expect.stringContaining('Target "nas": The connection was reset.'),
    })
    // None of it is shown.
    expect(await listed()).toEqual([])
    expect(test.stored()).toEqual([expect.stringMatching(/\/\.db\.sqlite\.zst\..*\.part$/)])
    const progress: number[] = []
    test.behind((folder) => ({
      ...folder,
      put: (name, source, options) =>
        folder.put(name, source, {
          ...options,
          onProgress(bytes) {
            if (name.endsWith('db.sqlite.zst')) progress.push(bytes)
            options?.onProgress?.(bytes)
          },
        }),
    }))
    await exported()
    expect(progress[0]).toBeGreaterThan(500_000)
    expect(await listed()).toHaveLength(1)
    expect(test.stored()).toHaveLength(3)
    await test.perform('backups verify', { ...demo, at: 'nas' })

    // The same of a download: files that are whole are kept.
    const local = join(test.home, 'save', test.key)
    execFileSync('mv', [local, join(test.folder, 'away')])
    test.behind((folder) => ({
      ...folder,
      get: (name, options) => (name.endsWith('files.tar.zst') ? cutting(folder) : folder).get(name, options),
    }))
    await expect(test.perform('backups fetch', { ...demo, from: 'nas' })).rejects.toMatchObject({ code: 'ERR_TARGET' })
    expect(readdirSync(`${local}.part`)).toEqual(['db.sqlite.zst'])
    const read: string[] = []
    test.behind((folder) => ({
      ...folder,
      get(name, options) {
        read.push(name)
        return folder.get(name, options)
      },
    }))
    await test.perform('backups fetch', { ...demo, from: 'nas' })
    expect(read).toEqual([`${test.key}/manifest.json`, `${test.key}/files.tar.zst`])
    await test.perform('backups verify', demo)
  })

  it('is left as it was when an export is cancelled, and is not written to by two of the same', async () => {
    const cancel = new AbortController()
    const begun = Promise.withResolvers<void>()
    test.behind((folder) => ({
      ...folder,
      put(name, source, options) {
        begun.resolve()
        return slow(folder, 50).put(name, source, options)
      },
    }))
    const first = test.perform('backups export', demo, { signal: cancel.signal })
    await begun.promise
    await expect(exported()).rejects.toMatchObject({
      code: 'ERR_BUSY',
      message: expect.stringMatching(/^Busy: export:nas:demo\/.* is in use by export of demo\/.* to nas by tester/),
    })
    const waiting = test.perform('backups export', demo, { waitMs: 600_000 })
    cancel.abort(new Error('Somebody cancelled it'))
    await expect(first).rejects.toThrow('Somebody cancelled it')
    expect(await listed()).toEqual([])
    await waiting
    expect(await listed()).toHaveLength(1)
    const { list } = await test.perform('history')
    expect((list as { result: string; message: string }[]).map(({ result }) => result)).toEqual([
      'failed',
      'failed',
      'ok',
    ])
  })

  it('that refuses the login is not asked again, and no secret is shown', async () => {
    let calls = 0
    const error = new TargetError('ERR_TARGET_REFUSED', 'The user "backup" is not allowed', {
      help: 'See the password.',
    })
    test.behind((folder) => ({
      ...failing(folder, error, Infinity),
      get() {
        calls++
        return Promise.reject(error)
      },
    }))
    await expect(exported()).rejects.toMatchObject({
      code: 'ERR_TARGET',
      message: 'Target "nas": The user "backup" is not allowed.',
      help: 'See the password.',
    })
    expect(calls).toBe(1)
    expect((await test.perform('history')).list).toMatchObject([{ action: 'backups export', result: 'failed' }])
  })

  it.skipIf(!mountable)(`whose disk is full keeps nothing of it; the backup here stays good${reason}`, async () => {
    mountMemory(test.store(), '1500k')
    try {
      await expect(exported()).rejects.toMatchObject({ code: 'ERR_TARGET', message: expect.stringMatching(/ENOSPC/) })
      expect(await listed()).toEqual([])
      await test.perform('backups verify', demo)
    } finally {
      unmount(test.store())
    }
  })

  it('that stores something else than it is sent has no backup', async () => {
    test.behind((folder) => corrupting(folder))
    await expect(exported()).rejects.toMatchObject({
      code: 'ERR_TARGET',
      message: expect.stringContaining(
        'db.sqlite.zst was changed (its hash is another one), although it was sent twice',
      ),
    })
    expect(test.stored()).toEqual([])
    // A store that lies about its hashes is found out, too, when every byte is read back.
    const sums = new Map<string, string>()
    const { manifest } = await test.context.backups.find('demo', 'latest')
    for (const { name, sha256 } of manifest.files) sums.set(`${test.key}/${name}`, sha256)
    test.behind((folder) => ({
      ...corrupting(folder),
      hash: (name) => Promise.resolve({ sha256: sums.get(name) ?? '' }),
    }))
    await expect(exported({ 'read-back': true })).rejects.toMatchObject({ code: 'ERR_TARGET' })
    expect(await listed()).toEqual([])
  })

  it('that has no hashes is read back', async () => {
    const read: string[] = []
    test.behind(({ hash: _hash, ...folder }) => ({
      ...folder,
      get(name, options) {
        read.push(name.slice(test.key.length + 1))
        return folder.get(name, options)
      },
    }))
    await exported()
    expect(read).toEqual(['manifest.json', 'db.sqlite.zst', 'files.tar.zst', 'manifest.json'])
  })

  it('in which a bit was flipped: verify and fetch find it, export repairs it', { tags: 'core' }, async () => {
    await exported()
    test.flip(`${test.key}/files.tar.zst`)
    const damage = `${test.key}/files.tar.zst was changed (its hash is another one)`
    const expected = { code: 'ERR_BACKUP', message: expect.stringContaining(damage) }
    await expect(test.perform('backups verify', { ...demo, at: 'nas' })).rejects.toMatchObject(expected)
    expect(await listed()).toMatchObject([{ damage: expect.stringContaining(damage), verified: '' }])
    expect((await test.perform('backups list', demo)).list).toMatchObject([{ copies: 'nas (damaged)', damage: '' }])

    const local = join(test.home, 'save', test.key)
    execFileSync('mv', [local, join(test.folder, 'away')])
    await expect(test.perform('backups fetch', { ...demo, from: 'nas' })).rejects.toMatchObject(expected)
    await expect(test.perform('restore', { ...demo, from: 'nas:latest' })).rejects.toMatchObject(expected)
    expect(test.context.registry.count()).toBe(0)
    expect(await test.context.backups.list()).toEqual([])
    execFileSync('mv', [join(test.folder, 'away'), local])

    const sent: string[] = []
    const { manifest } = await test.context.backups.find('demo', 'latest')
    const sums = new Map(manifest.files.map(({ name, sha256 }) => [`${test.key}/${name}`, sha256]))
    test.behind((folder) => ({
      ...folder,
      // It reports what it was given, not what it has.
      hash: (name) => Promise.resolve({ sha256: sums.get(name) ?? '' }),
      put(name, ...args) {
        sent.push(name.slice(test.key.length + 1))
        return folder.put(name, ...args)
      },
    }))
    await exported()
    expect(sent).toEqual(['files.tar.zst', 'manifest.json'])
    await test.perform('backups verify', { ...demo, at: 'nas' })
    expect(await listed()).toMatchObject([{ damage: '' }])
  })

  it('that keeps what it has until a date takes a good one in place of a damaged one', async () => {
    await exported()
    test.flip(`${test.key}/files.tar.zst`)
    await expect(test.perform('backups verify', { ...demo, at: 'nas' })).rejects.toMatchObject({ code: 'ERR_BACKUP' })
    const locked = new TargetError('ERR_TARGET_LOCKED', 'It is kept until tomorrow')
    test.behind((folder) => ({ ...folder, delete: () => Promise.reject(locked) }))
    await exported()
    await test.perform('backups verify', { ...demo, at: 'nas' })
    expect(await removeCopies(test.context, 'nas', [test.key])).toEqual([{ key: test.key, removal: 'locked' }])
    expect((await test.perform('backups list', demo)).list).toMatchObject([{ copies: 'nas' }])
  })

  it('replaces what is damaged here', async () => {
    await exported()
    const file = join(test.home, 'save', test.key, 'db.sqlite.zst')
    truncateSync(file, 1000)
    await expect(test.perform('backups verify', demo)).rejects.toMatchObject({ code: 'ERR_BACKUP' })
    await test.perform('backups fetch', { ...demo, from: 'nas' })
    expect(readFileSync(file)).toEqual(readFileSync(test.store(test.key, 'db.sqlite.zst')))
    expect((await test.perform('backups list', demo)).list).toMatchObject([{ damage: '', copies: 'nas' }])
  })

  it('gets nothing of a backup that is damaged here', { tags: 'core' }, async () => {
    const file = join(test.home, 'save', test.key, 'db.sqlite.zst')
    const bytes = readFileSync(file)
    bytes.writeUInt8(bytes.readUInt8(5) ^ 1, 5)
    writeFileSync(file, bytes)
    await expect(exported()).rejects.toMatchObject({
      code: 'ERR_BACKUP',
      message: expect.stringContaining(`${file} was changed`),
    })
    expect(test.stored()).toEqual([])
    expect((await test.perform('backups list', demo)).list).toMatchObject([
      { damage: expect.stringContaining('was changed'), copies: '' },
    ])
    // It is not tried again before it was read well.
    await expect(exported()).rejects.toMatchObject({
      code: 'ERR_BACKUP',
      message: expect.stringContaining('is not copied'),
    })
    bytes.writeUInt8(bytes.readUInt8(5) ^ 1, 5)
    writeFileSync(file, bytes)
    await test.perform('backups verify', demo)
    await exported()
  })

  it('is tidied up: what uploads left more than a day ago, and files that will not be completed', async () => {
    test.behind((folder) => cutting(folder, { afterBytes: 700_000 }))
    await expect(exported()).rejects.toThrow()
    test.behind(undefined)
    const other = 'demo/20260101T000000Z-1.0-abcdefgh'
    await test.context.targets.use('nas', (folder) => put(folder, `${other}/db.sqlite.zst`))
    await put(await test.context.targets.open('nas'), 'photos/one.jpg')
    const before = test.stored()
    expect(before).toHaveLength(3)

    const second = test.madeUp(new Date(Date.now() + 60_000), 100)
    await exported({ backup: second.slice(5) })
    expect(test.stored()).toEqual(expect.arrayContaining([...before]))
    const tomorrow = test.another({ clock: () => new Date(Date.now() + 25 * 60 * 60 * 1000) })
    await tomorrow.perform('backups export', { ...demo, backup: second.slice(5) }, test.caller)
    expect(test.stored()).toEqual([
      ...['db.sqlite.zst', 'files.tar.zst', 'manifest.json'].map((file) => `${second}/${file}`),
      'photos/one.jpg',
    ])
  })
})

const put = (target: BackupTarget, key: string) => target.put(key, bytesSource('of somebody'))
