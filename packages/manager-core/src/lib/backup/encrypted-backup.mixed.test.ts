/** @module-tag mixed */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { generateIdentity, identityToRecipient } from 'age-encryption'
import { execa } from 'execa'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { toolIsMissing } from '../../../../../tests/servers/index.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { settingsOfBackup } from './settings-of-backup.js'

describe('an encrypted backup', () => {
  let test: TestManager
  let identity: string
  let recipient: string
  let config: string
  beforeAll(async () => {
    identity = await generateIdentity()
    recipient = await identityToRecipient(identity)
    test = await createTestManager()
    config = readFileSync(join(test.home, 'config.sh'), 'utf8')
    writeFileSync(file('key'), `# secret\n${identity}\n`, { mode: 0o600 })
    writeFileSync(file('other-key'), `${await generateIdentity()}\n`, { mode: 0o600 })
    writeFileSync(file('recipients'), `# of the operators\n\n${recipient}\n`)
    await test.perform('add', { name: 'demo', 'no-start': true })
    writeFileSync(test.path('demo', 'data', 'document.txt'), 'a document')
    const database = new DatabaseSync(test.path('demo', 'data', 'database.db'))
    database.exec(`create table note (text); insert into note values ('first')`)
    database.close()
  })
  beforeEach(() => {
    writeFileSync(test.path('demo', 'data', 'token.secret'), 'sign here')
    set()
  })
  afterAll(() => test.close())

  const file = (name: string) => join(test.folder, name)

  /** The settings of the manager from now on. */
  function set(settings: Readonly<Record<string, string>> = {}): void {
    const lines = Object.entries(settings).map(([name, value]) => `export APPS_BACKUP_${name}='${value}'\n`)
    writeFileSync(join(test.home, 'config.sh'), config + lines.join(''))
  }

  async function save(input: Readonly<Record<string, boolean>> = {}) {
    await test.perform('save', { name: 'demo', ...input })
    return test.context.backups.find('demo', 'latest')
  }

  const restoring = (from: string) => test.perform('restore', { name: 'demo', from })
  const deeply = async () =>
    test.context.backups.verify(await test.context.backups.find('demo', 'latest'), { deep: true })

  it('is made for recipients, and opened with their key alone', { tags: 'core' }, async () => {
    set({ RECIPIENTS: file('recipients') })
    const { folder, manifest } = await save()
    expect(readdirSync(folder)).toEqual(['db.sqlite.zst.age', 'files.tar.zst.age', 'manifest.json'])
    expect(manifest.encryption).toEqual({ format: 'age', recipients: [recipient] })
    expect(await deeply()).toEqual({
      depth: 'stored',
      note: expect.stringContaining('APPS_BACKUP_IDENTITY is not set'),
    })
    await expect(restoring(manifest.id)).rejects.toMatchObject({ code: 'ERR_BACKUP', message: /APPS_BACKUP_IDENTITY/ })
    set({ IDENTITY: file('other-key') })
    await expect(deeply()).rejects.toMatchObject({ code: 'ERR_BACKUP', message: /for other keys/ })
    expect((await test.context.backups.find('demo', 'latest')).damage).toBeUndefined()
    await expect(restoring(manifest.id)).rejects.toMatchObject({ code: 'ERR_BACKUP', message: /for other keys/ })
    set({ IDENTITY: file('key') })
    expect(await deeply()).toEqual({ depth: 'contents' })
    rmSync(test.path('demo', 'data', 'document.txt'))
    await restoring(manifest.id)
    expect(readFileSync(test.path('demo', 'data', 'document.txt'), 'utf8')).toBe('a document')
  })

  it.skipIf(toolIsMissing('age') ?? toolIsMissing('sqlite3'))('can be restored by hand', async () => {
    set({ RECIPIENTS: recipient })
    const { folder } = await save()
    const out = mkdtempSync(join(test.folder, 'out-'))
    const script = `set -eu
      age -d -i ${file('key')} db.sqlite.zst.age | zstd -d > ${out}/database.db
      age -d -i ${file('key')} files.tar.zst.age | zstd -d | tar -x -C ${out}
      sqlite3 ${out}/database.db 'select text from note'`
    const { stdout } = await execa('bash', ['-c', script], { cwd: folder })
    expect(stdout).toBe('first')
    expect(readFileSync(join(out, 'data', 'document.txt'), 'utf8')).toBe('a document')
  })

  it.skipIf(toolIsMissing('age'))('is none when the program fails after its output has ended well', async () => {
    const before = await test.context.backups.list()
    const programs = mkdtempSync(join(test.folder, 'programs-'))
    const { stdout: real } = await execa('sh', ['-c', 'command -v age'])
    const script = `#!/bin/sh\n${real} "$@" || exit\ncase "$1" in --encrypt) echo no luck >&2; exit 1;; esac\n`
    writeFileSync(join(programs, 'age'), script, { mode: 0o755 })
    vi.stubEnv('PATH', `${programs}:${process.env.PATH}`)
    set({ RECIPIENTS: recipient })
    await expect(save()).rejects.toThrow('no luck')
    vi.unstubAllEnvs()
    expect(await test.context.backups.list()).toEqual(before)
  })

  it('is made with a passphrase when there are no recipients', async () => {
    const passphrase = { PASSPHRASE: 'correct horse battery' }
    set(passphrase)
    const { folder, manifest } = await save()
    expect(manifest.encryption).toEqual({ format: 'age' })
    expect(readFileSync(join(folder, 'manifest.json'), 'utf8')).not.toContain('horse')
    set({ PASSPHRASE: 'another one' })
    await expect(restoring(manifest.id)).rejects.toMatchObject({ code: 'ERR_BACKUP', message: /another passphrase/ })
    set({ RECIPIENTS: recipient, ...passphrase })
    const { plan } = await test.perform('restore', { name: 'demo', from: manifest.id }, { dryRun: true })
    expect(plan?.steps).not.toEqual([])
  })

  it('is made and restored without the program, too', async () => {
    const programs = mkdtempSync(join(test.folder, 'programs-'))
    for (const name of ['tar', 'zstd', ...(process.getuid?.() === 0 ? ['setpriv'] : [])])
      symlinkSync((await execa('bash', ['-c', `type -P ${name}`])).stdout, join(programs, name))
    vi.stubEnv('PATH', programs)
    set({ RECIPIENTS: recipient, IDENTITY: file('key') })
    const { manifest } = await save()
    expect(manifest.tools).toMatchObject({ age: 'age-encryption', zstd: expect.stringContaining('zstd') })
    expect(manifest.files.map(({ exitCodes }) => exitCodes)).toEqual([{ zstd: 0 }, { tar: 0, zstd: 0 }])
    await restoring(manifest.id)
    vi.unstubAllEnvs()
    expect(await deeply()).toEqual({ depth: 'contents' })
  })

  it('has the secrets of the instance only on request', async () => {
    await expect(save({ 'with-secrets': true })).rejects.toMatchObject({
      code: 'ERR_SETTINGS',
      help: expect.stringContaining('APPS_BACKUP_RECIPIENTS'),
    })
    const plain = await save()
    expect(plain.manifest.secrets).toBeUndefined()
    expect(await settingsOfBackup(plain.folder, plain.manifest, test.context)).toBeUndefined()
    // The instance keeps the key of its tokens.
    await restoring(plain.manifest.id)
    expect(readFileSync(test.path('demo', 'data', 'token.secret'), 'utf8')).toBe('sign here')
    rmSync(test.path('demo', 'data', 'token.secret'))
    await restoring(plain.manifest.id)
    expect(existsSync(test.path('demo', 'data', 'token.secret'))).toBe(false)

    writeFileSync(test.path('demo', 'data', 'token.secret'), 'sign here')
    set({ RECIPIENTS: recipient, IDENTITY: file('key') })
    const { folder, manifest } = await save({ 'with-secrets': true })
    expect(manifest).toMatchObject({ secrets: true, files: { length: 3 } })
    const settings = await settingsOfBackup(folder, manifest, test.context)
    expect(settings?.dropped).toEqual([])
    const own = await test.context.settings.instance(test.path('demo'))
    expect(settings?.settings.password.reveal()).toBe(own.password.reveal())
    writeFileSync(test.path('demo', 'data', 'token.secret'), 'another one')
    await restoring(manifest.id)
    expect(readFileSync(test.path('demo', 'data', 'token.secret'), 'utf8')).toBe('sign here')
  })

  it('is not made with settings that are wrong, which are named without secrets', { tags: 'core' }, async () => {
    const before = (await test.context.backups.list()).length
    const wrong = async (RECIPIENTS: string, message: RegExp) => {
      set({ RECIPIENTS })
      const reason = await save().catch((error: unknown) => error)
      expect(reason).toMatchObject({ code: 'ERR_SETTINGS', message })
      expect((reason as Error).message).not.toContain(identity.slice(20))
    }
    await wrong('age1nobody', /"age1nobody"/)
    await wrong(identity, /AGE-…/)
    await wrong(file('nowhere'), /cannot be read/)
    mkdirSync(file('empty'), { recursive: true })
    await wrong(file('empty'), /cannot be read/)
    writeFileSync(file('empty-file'), '# nobody\n')
    await wrong(file('empty-file'), /holds no key/)
    expect(await test.context.backups.list()).toHaveLength(before)
  })
})
