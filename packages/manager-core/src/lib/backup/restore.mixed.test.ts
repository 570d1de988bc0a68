/** @module-tag mixed */
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { generateIdentity, identityToRecipient } from 'age-encryption'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { tellFake } from '../testing/fake-application.js'
import { leaveStuck } from '../testing/leave-stuck.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'

describe('restore', () => {
  let test: TestManager
  /** Key of the backup in which all is `saved`. */
  let from: string
  beforeAll(async () => {
    test = await createTestManager()
    await test.perform('add', { name: 'demo' })
    change('saved')
    await test.perform('save', { name: 'demo' })
    from = (await test.context.backups.find('demo', 'latest')).manifest.id
  })
  beforeEach(() => change('later'))
  afterAll(() => test.close())

  const document = (name = 'demo') => test.path(name, 'data', 'document.txt')
  const instances = () => readdirSync(join(test.home, 'instances'))

  /** Database, data and application all say this word. */
  function change(word: string): void {
    sql((database) => database.prepare('update note set text = ?').run(word))
    writeFileSync(document(), word)
    mkdirSync(test.path('demo', 'app', 'objects'), { recursive: true })
    writeFileSync(test.path('demo', 'app', 'objects', 'word.txt'), word)
  }

  function sql<T>(work: (database: DatabaseSync) => T, name = 'demo'): T {
    const database = new DatabaseSync(test.path(name, 'data', 'database.db'), { timeout: 60_000 })
    try {
      return work(database)
    } finally {
      database.close()
    }
  }

  const words = (name = 'demo') => ({
    note: sql((database) => database.prepare('select text from note').get()?.text, name),
    document: readFileSync(document(name), 'utf8'),
    app: readFileSync(test.path(name, 'app', 'objects', 'word.txt'), 'utf8'),
  })
  const all = (word: string) => ({ note: word, document: word, app: word })

  it(
    'puts back database, files and application of an instance that runs, and starts it again',
    { tags: 'core' },
    async () => {
      const { id, port } = test.instance('demo')
      await test.perform('restore', { name: 'demo', from })
      expect(words()).toEqual(all('saved'))
      expect(test.instance('demo')).toMatchObject({ id, port, observed: 'started', operation: '' })
      expect(instances()).toEqual([id])
    },
  )

  it('keeps what stuck operations had replaced, also when it discards, and removes what never went live', async () => {
    await test.perform('purge', { all: true })
    leaveStuck(test, 'demo')
    await test.perform('restore', { name: 'demo', from, discard: true })
    expect(words()).toEqual(all('saved'))
    expect(instances()).toEqual([test.instance('demo').id])
    const entries = (await test.perform('trash')).list as readonly Record<string, string>[]
    const [kept, ...others] = entries
    await test.perform('undelete', { entry: kept?.['entry'], as: 'kept' })
    expect(words('kept')).toEqual(all('later'))
    expect(readFileSync(test.path('kept', 'data', 'letter.txt'), 'utf8')).toBe('Dear Ada')
    expect(others).toEqual([])
    await test.perform('delete', { name: 'kept', purge: true })
  })

  it.each(['all', 'data'] as const)(
    'keeps what it replaces (%s) in the trash, and undelete brings it back',
    async (parts) => {
      const only = parts === 'all' ? {} : { only: parts }
      const { plan } = await test.perform('restore', { name: 'demo', from, ...only }, { dryRun: true })
      expect(plan?.notes.join(' ')).toMatch(/undelete demo-\S+ --as <name>/)
      const { message } = await test.perform('restore', { name: 'demo', from, ...only })
      const [, entry = ''] = /undelete (\S+) --as/.exec(message) ?? []
      expect((await test.perform('trash')).list).toContainEqual(expect.objectContaining({ entry, reason: 'restore' }))
      await test.perform('undelete', { entry, as: 'before' })
      expect(words('before')).toEqual(all('later'))
      expect(test.instance('before').observed).toBe('started')
      await test.perform('delete', { name: 'before', purge: true })
    },
  )

  it('restores no folder that everybody may change, and keeps the group of what comes into it', async () => {
    const folder = test.path('demo', 'app', 'shared')
    mkdirSync(folder)
    chmodSync(folder, 0o7777)
    await test.perform('save', { name: 'demo' })
    await test.perform('restore', { name: 'demo' })
    expect(statSync(folder).mode & 0o7777).toBe(0o2775)
    rmSync(folder, { recursive: true })
  })

  it('keeps nothing with --discard', async () => {
    await test.perform('purge', { all: true })
    await test.perform('restore', { name: 'demo', from, discard: true })
    expect((await test.perform('trash')).list).toEqual([])
    expect(instances()).toEqual([test.instance('demo').id])
  })

  it('puts back only what is asked for', async () => {
    await test.perform('restore', { name: 'demo', from, only: 'data' })
    expect(words()).toEqual({ note: 'saved', document: 'saved', app: 'later' })
    change('last')
    await test.perform('restore', { name: 'demo', from, only: 'app' })
    expect(words()).toEqual({ note: 'last', document: 'last', app: 'saved' })
  })

  it('leaves all as it was when what was restored does not start', { tags: 'core' }, async () => {
    tellFake(test.path('demo', 'app'), { start: 'fail' })
    await test.perform('save', { name: 'demo' })
    tellFake(test.path('demo', 'app'), {})
    change('last')
    await expect(test.perform('restore', { name: 'demo' })).rejects.toMatchObject({ code: 'ERR_ROLLED_BACK' })
    expect(words()).toEqual(all('last'))
    expect(test.instance('demo').observed).toBe('started')
    expect(instances()).toEqual([test.instance('demo').id])
  })

  it('makes a copy under another name, with secrets and a port of its own', async () => {
    await test.perform('restore', { name: 'demo', from, as: 'copy' })
    expect(words('copy')).toEqual(all('saved'))
    expect(words('demo')).toEqual(all('later'))
    const { source, port } = test.instance('copy')
    expect(source).toMatch(/^backup:demo\/\d{8}T\d{6}Z-1\.0-[a-z0-9]{8}$/)
    expect(port).not.toBe(test.instance('demo').port)
    const settings = await Promise.all(['demo', 'copy'].map((name) => test.context.settings.instance(test.path(name))))
    expect(settings[0]?.password.reveal()).not.toBe(settings[1]?.password.reveal())
  })

  it('makes an instance again with its secrets when they were saved, and a copy with new ones', async () => {
    const settingsOf = (name: string) => test.context.settings.instance(test.path(name))
    const before = await settingsOf('demo')
    const own = { maxMemoryMb: 321, others: { PLANET: 'mars' } }
    await test.context.settings.writeInstance(test.path('demo'), { ...before, ...own })
    writeFileSync(test.path('demo', 'data', 'token.secret'), 'key of its tokens')
    const [identity, config] = [await generateIdentity(), join(test.home, 'config.sh')]
    writeFileSync(join(test.folder, 'identity'), identity, { mode: 0o600 })
    const configBefore = readFileSync(config)
    const keys = [`RECIPIENTS=${await identityToRecipient(identity)}`, `IDENTITY=${test.folder}/identity`]
    appendFileSync(config, keys.map((line) => `APPS_BACKUP_${line}\n`).join(''))
    await test.perform('save', { name: 'demo', 'with-secrets': true })
    await test.perform('restore', { name: 'demo', as: 'copy4' })
    const copy = await settingsOf('copy4')
    expect(copy).toMatchObject(own)
    expect(copy.password.reveal()).not.toBe(before.password.reveal())
    expect(existsSync(test.path('copy4', 'data', 'token.secret'))).toBe(false)

    await test.perform('delete', { name: 'demo', purge: true })
    await test.perform('restore', { name: 'demo' })
    const again = await settingsOf('demo')
    expect(again).toMatchObject(own)
    for (const key of ['password', 'adminPassword'] as const) expect(again[key].reveal()).toBe(before[key].reveal())
    expect(again.url).toBe(`http://127.0.0.1:${test.instance('demo').port}/io`)
    expect(readFileSync(test.path('demo', 'data', 'token.secret'), 'utf8')).toBe('key of its tokens')
    writeFileSync(config, configBefore)
    // For the others.
    await test.perform('save', { name: 'demo' })
  })

  it('makes an instance again that is gone', { tags: 'core' }, async () => {
    await test.perform('autosave', { name: 'demo' })
    await test.perform('save', { name: 'demo' })
    await test.perform('delete', { name: 'demo', purge: true })
    await test.perform('restore', { name: 'demo' })
    expect(words()).toEqual(all('later'))
    expect(test.instance('demo')).toMatchObject({ autoSave: true, observed: 'started' })
  })

  it('refuses data of a newer version or template, or an older application, and takes both together', async () => {
    const { id, version, versionDate } = test.instance('demo')
    const set = (has: { readonly version?: string; readonly versionDate?: string }) =>
      test.context.registry.transaction((writer) => writer.updateInstance(id, { version, versionDate, ...has }))
    for (const [only, has, message] of [
      ['app', { version: '1.1' }, 'of the newer version'],
      ['app', { versionDate: '2030-01-01T00:00:00.000Z' }, 'of the newer version'],
      ['data', { versionDate: '2020-01-01T00:00:00.000Z' }, 'has the older version'],
      ['data', { version: '0.9' }, 'has the older version'],
    ] as const) {
      set(has)
      await expect(test.perform('restore', { name: 'demo', from, only })).rejects.toMatchObject({
        code: 'ERR_STATE',
        message: expect.stringContaining(message),
        help: expect.stringContaining('without --only'),
      })
    }
    // Both together go forward only when that is wanted.
    await expect(test.perform('restore', { name: 'demo', from })).rejects.toMatchObject({
      code: 'ERR_STATE',
      message: 'The backup is of version 1.0, but "demo" has the older version 0.9.',
      help: expect.stringContaining('--allow-newer'),
    })
    expect(words()).toEqual(all('later'))
    await test.perform('restore', { name: 'demo', from, 'allow-newer': true })
    expect(test.instance('demo')).toMatchObject({ version, versionDate })
    expect(words()).toEqual(all('saved'))
  })

  it('refuses a version that is newer than all that are here, unless the caller allows it', async () => {
    const { id } = test.instance('demo')
    const setVersion = (version: string) =>
      test.context.registry.transaction((writer) => writer.updateInstance(id, { version }))
    setVersion('2.0')
    await test.perform('save', { name: 'demo' })
    // Its own version is no news to it.
    await test.perform('restore', { name: 'demo' })
    setVersion('1.0')
    for (const more of [{}, { as: 'copy2' }, { only: 'app' }])
      await expect(test.perform('restore', { name: 'demo', ...more })).rejects.toMatchObject({
        code: 'ERR_STATE',
        message: expect.stringContaining('2.0, which is newer than all versions here (1.0)'),
      })
    expect(test.instance('demo').version).toBe('1.0')
    await test.perform('restore', { name: 'demo', 'allow-newer': true })
    expect(test.instance('demo').version).toBe('2.0')
    setVersion('1.0')
  })

  it('refuses an instance that is protected, which may be copied', async () => {
    await test.perform('protect', { name: 'demo' })
    await expect(test.perform('restore', { name: 'demo', from })).rejects.toMatchObject({ code: 'ERR_PROTECTED' })
    expect(words()).toEqual(all('later'))
    const { plan } = await test.perform('restore', { name: 'demo', from, as: 'copy3' }, { dryRun: true })
    expect(plan?.title).toContain('copy3')
    await test.perform('unprotect', { name: 'demo' })
  })

  it('plans without doing anything', async () => {
    const { plan } = await test.perform('restore', { name: 'demo', from }, { dryRun: true })
    expect(plan?.steps.map(({ id }) => id)).toEqual([
      ...['restore-verify', 'restore-files', 'restore-database', 'stop', 'restore-swap', 'version', 'start'],
      'restore-old',
    ])
    expect(words()).toEqual(all('later'))
    expect(existsSync(document())).toBe(true)
  })
})
