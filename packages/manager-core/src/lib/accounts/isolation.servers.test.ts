import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accountsOf, endAccountsOf } from '../testing/accounts-of.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { fakeApplicationServer, writeTemplate } from '../testing/fake-application.js'
import { attempt, writeHostileServer, type Attempt } from '../testing/hostile-instance/application.js'
import { canUseAccounts } from '../testing/reachable-checkout.js'
import { unpackDownload } from '../testing/unpack-download.js'
import { accountAt } from './account.js'
import { findAccount } from './find-account.js'
import { compiledCodeOf } from './system-accounts.js'

const isHere = canUseAccounts(import.meta.url)

const secret = 'TOP-SECRET'

async function hostileManager(isolation: 'auto' | 'no'): Promise<TestManager & { notes: string }> {
  const test = await createTestManager({
    refresh: false,
    config: [`export APPS_ISOLATION=${isolation}`, 'export APPS_HEALTHWINDOW=1'],
  })
  const notes = join(test.folder, 'notes')
  // Others may pass, and write this file; all else is as the manager makes it.
  chmodSync(test.folder, 0o711)
  writeFileSync(notes, '')
  chmodSync(notes, 0o666)
  writeHostileServer(test.template, notes)
  await test.perform('refresh')
  return { ...test, notes }
}

/** What each attack of "demo" must not get; `other` is another instance, which runs. */
async function attacks(test: TestManager): Promise<readonly Attempt[]> {
  const { home } = test.context
  const other = (...parts: readonly string[]) => test.path('other', ...parts)
  const observe = await test.context.runtimes
    .named('process')
    .observe({ id: test.instance('other').id, folder: other() })
  const saves = join(home.folder, 'save')
  const save = readdirSync(join(saves, 'other'))[0] as string
  const revision = readdirSync(join(home.templates, '.revisions'))[0] as string
  const read = [home.config, home.database, home.versionSettings('1.0'), home.proxySecret]
  return [
    ...[...read, other('settings.sh'), test.path('demo', 'settings.sh'), other('app', 'app.yaml')].map((one) => ({
      read: one,
    })),
    ...[
      other('data', 'database.db'),
      other('logs', 'application.log'),
      join(saves, 'other', save, 'manifest.json'),
    ].map((one) => ({ read: one })),
    ...[process.pid, ...observe.pids].map((pid) => ({ read: `/proc/${pid}/environ` })),
    ...[home.folder, home.instances, home.templates, home.hooks, home.locks, home.trash, saves, other()].map((one) => ({
      list: one,
    })),
    ...[other('data'), other('run'), home.folder, home.hooks, join(home.templates, '.revisions', revision)].map(
      (one) => ({
        write: join(one, 'planted'),
      }),
    ),
    ...[home.config, fakeApplicationServer].map((one) => ({ write: one })),
    ...[process.pid, ...observe.pids].map((pid) => ({ signal: pid })),
  ]
}

/** What comes of them otherwise than expected. */
async function unexpected(test: TestManager, expected: RegExp): Promise<readonly string[]> {
  const { port } = test.instance('demo')
  const list = await attacks(test)
  const outcomes = await Promise.all(list.map(async (one) => [JSON.stringify(one), await attempt(port, one)] as const))
  return outcomes.filter(([, got]) => !expected.test(got)).map(([one, got]) => `${one} → ${got.slice(0, 60)}`)
}

async function twoInstances(test: TestManager): Promise<void> {
  const { proxySecret, hooks, trash } = test.context.home
  writeFileSync(proxySecret, secret, { mode: 0o600 })
  for (const folder of [hooks, trash]) mkdirSync(folder, { mode: 0o700 })
  await test.perform('add', { name: 'demo' })
  await test.perform('add', { name: 'other' })
  await test.perform('save', { name: 'other' })
}

describe.runIf(isHere)('without accounts', () => {
  it('an instance gets at everything that the manager does', { timeout: 60_000 }, async () => {
    const test = await hostileManager('no')
    try {
      await twoInstances(test)
      expect(await unexpected(test, /^(?!refused)/)).toEqual([])
      expect(accountAt(test.path('demo'))).toBeUndefined()
    } finally {
      await test.close()
    }
  })
})

describe.runIf(isHere)('with accounts', () => {
  let test: Awaited<ReturnType<typeof hostileManager>>
  beforeAll(async () => {
    test = await hostileManager('auto')
    await twoInstances(test)
  })
  afterAll(async () => {
    try {
      for (const { name } of test.context.registry.instances())
        await test.perform('delete', { name, force: true, purge: true })
      for (const entry of readdirSync(test.context.home.trash)) await test.perform('purge', { entry })
    } finally {
      await test.close()
      endAccountsOf(test)
    }
  })

  const uid = (name: string) => accountAt(test.path(name))?.uid as number
  const tries = (what: Attempt) => attempt(test.instance('demo').port, what)
  /** Whose the files of an instance are, below folders that are its own. */
  const owners = (name: string) =>
    ['app', 'data', 'logs'].flatMap((part) => [
      lstatSync(test.path(name, part)).uid,
      ...readdirSync(test.path(name, part), { recursive: true }).map(
        (path) => lstatSync(test.path(name, part, String(path))).uid,
      ),
    ])

  it('an instance gets at nothing of the manager, nor of others', async () => {
    expect(await unexpected(test, /^refused: (EACCES|EPERM)$/)).toEqual([])
    expect(uid('demo')).not.toBe(uid('other'))
    expect(statSync(test.path('demo')).mode & 0o777).toBe(0o750)
    expect(new Set(owners('demo'))).toEqual(new Set([uid('demo')]))
  })

  it('all code of an application runs as the account, whatever the command', { timeout: 120_000 }, async () => {
    writeTemplate(test.template, { version: '1.1.0' })
    await test.perform('refresh')
    await test.perform('upgrade', { name: 'demo' })
    await test.perform('clone', { name: 'demo', new: 'twin' })
    expect(uid('twin')).not.toBe(uid('demo'))
    expect(new Set(owners('twin'))).toEqual(new Set([uid('twin')]))
    await test.perform('save', { name: 'demo' })
    await test.perform('restore', { name: 'demo' })
    expect(new Set(owners('demo'))).toEqual(new Set([uid('demo')]))
    await test.perform('restore', { name: 'demo', as: 'copy' })
    await test.perform('prove', { name: 'demo' })
    const old = uid('copy')
    await test.perform('reset', { name: 'copy' })
    expect(uid('copy')).not.toBe(old)
    await test.perform('rename', { name: 'copy', new: 'renamed' })
    await test.perform('delete', { name: 'renamed', force: true })
    const { list = [] } = await test.perform('trash')
    const [entry] = (list as { entry: string }[])
      .map(({ entry: one }) => one)
      .filter((one) => one.startsWith('renamed'))
    await test.perform('undelete', { entry: entry as string })
    expect((await fetch(`http://127.0.0.1:${test.instance('renamed').port}/health`)).status).toBe(200)
    const { home } = test.context
    const isOpen = (name: string) => (lstatSync(join(home.folder, name)).mode & 0o077) !== 0
    expect(readdirSync(home.folder).filter(isOpen).toSorted()).toEqual(['instances'])
    const notes = readFileSync(test.notes, 'utf8').trim().split('\n')
    const known = notes.map((line) => line.split(':') as [string, string, string, string])
    expect(known.length).toBeGreaterThan(8)
    for (const [user, group, groups] of known) {
      expect(Number(user)).toBeGreaterThanOrEqual(20_000)
      expect(groups).toBe(group)
      expect(Number(group)).toBeGreaterThanOrEqual(20_000)
    }
  })

  it('an account goes with its instance, and when the making of it is rolled back', { timeout: 60_000 }, async () => {
    const now = accountsOf(test)
    await test.perform('add', { name: 'gone', 'no-start': true })
    const { name } = accountAt(test.path('gone')) as { name: string }
    expect(findAccount(name)).toBeDefined()
    await test.perform('delete', { name: 'gone', purge: true })
    expect(findAccount(name)).toBeUndefined()
    writeTemplate(test.template, { version: '1.2.0', fake: { start: 'fail' } })
    await test.perform('refresh')
    await expect(test.perform('add', { name: 'failed' })).rejects.toMatchObject({ code: 'ERR_ROLLED_BACK' })
    writeTemplate(test.template, { version: '1.3.0' })
    await test.perform('refresh')
    expect(accountsOf(test)).toEqual(now)
  })

  it('links that an instance leaves for the manager lead to nothing', { timeout: 120_000 }, async () => {
    const stolen = join(test.context.home.folder, 'stolen')
    writeFileSync(stolen, secret, { mode: 0o600 })
    const data = (...parts: readonly string[]) => test.path('demo', 'data', ...parts)
    for (const name of ['token.secret', 'link', 'patches.json', 'patches.json.new'])
      expect(await tries({ symlink: [stolen, data(name)] })).toBe('undefined')
    expect(await tries({ symlink: [test.context.home.folder, data('folder')] })).toBe('undefined')
    // As the kernel is set up, it may let them be made.
    for (const name of ['hard', 'manifest']) await tries({ link: [stolen, data(name)] })
    const found = (folder: string) => execFileSync('grep', ['-rl', secret, folder, '--include=*'], { encoding: 'utf8' })
    for (const type of ['all', 'data', 'webapp', 'logs']) {
      const unpacking = unpackDownload(test, { name: 'demo', type })
      if (type === 'all' || type === 'data') await expect(unpacking, type).rejects.toThrow('a link that leads out')
      else {
        const unpacked = await unpacking
        expect(() => found(unpacked), type).toThrow()
      }
    }
    // A link out is refused when it is read back, by name; nothing of what it leads to is saved.
    await expect(test.perform('save', { name: 'demo' })).rejects.toThrow()
    for (const name of ['token.secret', 'link', 'patches.json', 'patches.json.new', 'folder', 'hard', 'manifest'])
      await tries({ remove: data(name) })
    await test.perform('save', { name: 'demo' })
    await tries({ remove: data('token.secret') })
    await tries({ symlink: [stolen, data('token.secret')] })
    await test.perform('restore', { name: 'demo' })
    expect(existsSync(data('token.secret')) && readFileSync(data('token.secret'), 'utf8')).not.toBe(secret)
    // Its database is that of another instance.
    for (const suffix of ['', '-wal', '-shm']) await tries({ remove: data(`database.db${suffix}`) })
    await tries({ symlink: [test.path('other', 'data', 'database.db'), data('database.db')] })
    await expect(test.perform('save', { name: 'demo' })).rejects.toThrow()
    await expect(test.perform('clone', { name: 'demo', new: 'thief' })).rejects.toThrow()
    await tries({ remove: data('database.db') })
    const { list: saves = [] } = await test.perform('backups list', { name: 'demo' })
    expect(saves).not.toHaveLength(0)
    await test.perform('restore', { name: 'demo' })
    expect(readFileSync(stolen, 'utf8')).toBe(secret)
    expect(statSync(stolen)).toMatchObject({ uid: 0 })
  })
})

describe.runIf(isHere)('isolate', () => {
  it(
    'gives an instance an account and takes it back; doctor, get and a failed start say so',
    { timeout: 120_000 },
    async () => {
      const test = await hostileManager('no')
      try {
        await test.perform('add', { name: 'demo' })
        const identity = async () =>
          ((await test.perform('get', { name: 'demo' })).item as { account?: string }).account
        const owner = () => lstatSync(test.path('demo', 'data', 'database.db')).uid
        expect(await identity()).toBe('')
        await expect(test.perform('isolate', { name: 'demo', undo: true })).rejects.toMatchObject({ code: 'ERR_STATE' })

        // The next start fails, and nothing has changed.
        test.tell('demo', { start: 'fail' })
        await expect(test.perform('isolate', { name: 'demo' })).rejects.toMatchObject({ code: 'ERR_ATTENTION' })
        test.tell('demo', {})
        await test.perform('doctor', { fix: true })
        expect([await identity(), owner(), accountsOf(test)]).toEqual(['', 0, []])

        await test.perform('isolate', { all: true })
        const account = accountAt(test.path('demo'))
        expect(await identity()).toBe(account?.name)
        expect(owner()).toBe(account?.uid)
        expect(await attempt(test.instance('demo').port, { read: test.context.home.config })).toBe('refused: EACCES')
        await expect(test.perform('isolate', { name: 'demo' })).rejects.toMatchObject({ code: 'ERR_STATE' })

        await test.perform('isolate', { name: 'demo', undo: true })
        expect([await identity(), owner(), accountsOf(test)]).toEqual(['', 0, []])
        expect(await attempt(test.instance('demo').port, { read: test.context.home.config })).not.toContain('refused')

        writeFileSync(
          test.context.home.config,
          readFileSync(test.context.home.config, 'utf8').replaceAll('ISOLATION=no', 'ISOLATION=yes'),
        )
        const { list: found = [] } = await test.perform('doctor', { category: 'system' })
        expect(found).toContainEqual(
          expect.objectContaining({
            check: 'isolation',
            level: 'error',
            message: 'demo runs as the user of the manager.',
          }),
        )
        await test.perform('stop', { name: 'demo' })
        await expect(test.perform('start', { name: 'demo' })).rejects.toMatchObject({
          message: expect.stringContaining('"demo" has no system account'),
          help: 'Create one (manager isolate demo), then start it again.',
        })
        await test.perform('isolate', { name: 'demo' })
        await test.perform('start', { name: 'demo' })
        await expect(test.perform('isolate', { name: 'demo', undo: true })).rejects.toThrow('APPS_ISOLATION=yes')

        // Its account is gone: it is given another one.
        await test.perform('stop', { name: 'demo' })
        const gone = accountAt(test.path('demo'))
        execFileSync('userdel', ['--force', gone?.name as string], { stdio: 'ignore' })
        await expect(test.perform('start', { name: 'demo' })).rejects.toThrow('does not exist on this machine')
        await test.perform('isolate', { name: 'demo' })
        await test.perform('start', { name: 'demo' })
        expect(await identity()).not.toBe(gone?.name)

        // Others may not enter the folder that the home is in.
        chmodSync(test.folder, 0o700)
        const { list: closed = [] } = await test.perform('doctor', { category: 'system' })
        expect(closed).toContainEqual(
          expect.objectContaining({
            check: 'isolation',
            message: expect.stringContaining(`cannot enter ${test.folder}`) as string,
          }),
        )
        await expect(test.perform('add', { name: 'late' })).rejects.toMatchObject({ code: 'ERR_SETTINGS' })
        // Compiled code of a former account with the same id would be run by the next one.
        const removed = accountAt(test.path('demo'))!
        const code = compiledCodeOf(removed)
        mkdirSync(code, { recursive: true })
        chownSync(code, removed.uid, removed.gid)
        await test.perform('delete', { name: 'demo', force: true, purge: true })
        expect(accountsOf(test)).toEqual([])
        expect(existsSync(code)).toBe(false)
      } finally {
        await test.close()
        endAccountsOf(test)
      }
    },
  )
})
