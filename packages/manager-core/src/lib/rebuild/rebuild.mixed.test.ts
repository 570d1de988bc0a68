/** @module-tag mixed */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ManagerError } from '../../errors.js'
import type { Manager } from '../manager.js'
import { listCopies } from '../store/registry-copies.js'
import { sqlite } from '../store/sqlite.js'
import { secondRuntime } from '../testing/second-runtime.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'

let test: TestManager

beforeEach(async () => {
  test = await createTestManager()
})

afterEach(() => test.close())

const registryFile = () => test.context.home.database
const copies = () => listCopies(test.context.home.registryCopies)
const failure = (work: Promise<unknown>) => work.then(() => undefined).catch((error: ManagerError) => error)

/** Another command, after those of before have ended. */
function fresh(): Manager {
  test.manager.close()
  return test.another()
}

function lose(): void {
  test.manager.close()
  for (const end of ['', '-wal', '-shm']) rmSync(`${registryFile()}${end}`, { force: true })
}

/** Overwrites all but its first pages. */
function damage(file: string): void {
  test.manager.close()
  const bytes = readFileSync(file)
  bytes.fill(7, 4096 * 2)
  writeFileSync(file, bytes)
}

async function rebuild(manager: Manager) {
  const { list = [], ...result } = await manager.perform('doctor', { rebuild: true }, test.caller)
  const rows = list as unknown as { readonly name: string; readonly result: string; readonly message: string }[]
  return { ...result, of: (name: string) => rows.find((row) => row.name === name) }
}

describe('copies of the registry', () => {
  it('are made with every change of an instance, and not by looking; few are kept', { tags: 'core' }, async () => {
    await test.perform('add', { name: 'demo', 'no-start': true })
    const [first] = copies()
    await test.perform('list')
    await test.perform('doctor', { category: 'databases' })
    expect(copies()[0]).toEqual(first)
    for (let n = 0; n < 4; n++) {
      await test.perform('protect', { name: 'demo' })
      await test.perform('unprotect', { name: 'demo' })
    }
    expect(copies()).toHaveLength(5)
    await test.perform('token add', { name: 'reader', abilities: 'read' })
    const [newest] = copies()
    const copy = new DatabaseSync(newest?.file as string, { readOnly: true })
    expect(copy.prepare('select name, protected from instance').all()).toEqual([{ name: 'demo', protected: 0 }])
    expect(copy.prepare('select name from token').all()).toEqual([{ name: 'reader' }])
    expect(copy.prepare('select count(*) as n from history').get()).toEqual(
      test.context.registry[sqlite].prepare('select count(*) as n from history').get(),
    )
    const tables = (database: DatabaseSync) => database.prepare('select name from sqlite_schema order by name').all()
    expect(tables(copy)).toEqual(tables(test.context.registry[sqlite]))
    copy.close()
    expect(statSync(newest?.file as string).mode & 0o777).toBe(0o600)
  })
})

describe('a registry that is', () => {
  beforeEach(async () => {
    await test.perform('add', { name: 'demo', 'no-start': true })
    await test.perform('add', { name: 'shop' })
  })

  it.each([
    ['missing', lose, 'ERR_HOME'],
    ['empty', () => (lose(), writeFileSync(registryFile(), '')), 'ERR_HOME'],
    ['damaged', () => damage(registryFile()), 'ERR_FAILED'],
  ] as const)('%s: commands say how it is rebuilt, and doctor --rebuild brings all back', async (what, spoil, code) => {
    const before = test.context.registry.instances()
    const entries = test.context.registry.history()
    spoil()
    for (const [action, input] of [
      ['list', {}],
      ['stop', { name: 'shop' }],
      ['doctor', {}],
      ['refresh', {}],
    ] as const)
      expect(await failure(fresh().perform(action, input, test.caller))).toMatchObject({
        code,
        command: 'doctor --rebuild',
      })
    const manager = fresh()
    const { exitCode, of } = await rebuild(manager)
    expect([exitCode, of('demo')?.result, of('shop')?.result]).toEqual([0, 'kept', 'kept'])
    expect(manager.context.registry.instances()).toEqual(before)
    expect(manager.context.registry.history().slice(0, entries.length)).toEqual(entries)
    const aside = readdirSync(test.home).filter((name) => /^manager\.db\.damaged-[0-9TZ]+$/.test(name))
    expect(aside).toHaveLength(what === 'missing' ? 0 : 1)
    await manager.perform('stop', { name: 'shop' }, test.caller)
    expect((await manager.perform('history verify', {}, test.caller)).exitCode).toBe(0)
    expect((await rebuild(manager)).message).toBe('The registry is intact. Nothing was changed.')
  })
})

describe('an old copy', () => {
  it('resurrects nothing that was deleted, loses nothing that was created since, and reports both', async () => {
    await test.perform('add', { name: 'gone', 'no-start': true })
    await test.perform('add', { name: 'purged', 'no-start': true })
    await test.perform('add', { name: 'old', 'no-start': true })
    await test.perform('save', { name: 'old' })
    const old = join(test.folder, 'copy')
    renameSync(copies()[0]?.file as string, old)
    await test.perform('delete', { name: 'gone' })
    await test.perform('delete', { name: 'purged', purge: true })
    await test.perform('rename', { name: 'old', new: 'renamed' })
    await test.perform('save', { name: 'renamed' })
    await test.perform('start', { name: 'renamed' })
    await test.perform('add', { name: 'saved', 'no-start': true })
    await test.perform('autosave', { name: 'saved' })
    await test.perform('save', { name: 'saved' })
    await test.perform('add', { name: 'unsaved' })
    const unsaved = test.instance('unsaved')
    const renamed = test.instance('renamed')
    for (const { file } of copies()) rmSync(file)
    renameSync(old, join(test.context.home.registryCopies, '000000001-20261101T000000Z.db'))
    lose()
    const manager = fresh()
    const { of, warnings, exitCode } = await rebuild(manager)
    expect(warnings?.join('\n')).toContain('rebuilt from the copy of 2026-11-01T00:00:00.000Z.')
    expect(exitCode).toBe(0)
    expect(of('gone')).toMatchObject({ result: 'removed', message: expect.stringMatching(/manager undelete gone-\S+/) })
    expect(of('purged')).toMatchObject({
      result: 'removed',
      message: expect.stringContaining('No backup of it is here'),
    })
    expect(of('renamed')).toMatchObject({
      result: 'changed',
      message: expect.stringMatching(/Its name is renamed, not old\. .*status is started, not stopped/),
    })
    expect(of('saved')).toMatchObject({ result: 'added', message: expect.stringContaining('saved/') })
    expect(of(unsaved.id)).toMatchObject({ result: 'added', message: expect.stringContaining('are unknown') })
    const { registry } = manager.context
    expect(registry.get('renamed')).toMatchObject({ id: renamed.id, port: renamed.port, desired: 'started' })
    expect(registry.get('saved')).toMatchObject({ autoSave: true })
    expect(registry.get(unsaved.id)).toMatchObject({ port: unsaved.port, desired: 'started', autoUpdate: false })
    await manager.perform('rename', { name: unsaved.id, new: 'unsaved' }, test.caller)
    await manager.perform('stop', { name: 'unsaved' }, test.caller)
    await manager.perform('undelete', { entry: 'gone' }, test.caller)
  })

  it('that is damaged gives way to one before it; without any the disk says all', { tags: 'core' }, async () => {
    await test.perform('add', { name: 'demo', 'no-start': true })
    await test.perform('save', { name: 'demo' })
    await test.perform('protect', { name: 'demo' })
    damage(copies()[0]?.file as string)
    lose()
    const first = await rebuild(fresh())
    expect(first.warnings?.join('\n')).toMatch(/^Skipped the copy .*\n.*rebuilt from the copy/m)
    rmSync(test.context.home.registryCopies, { recursive: true })
    lose()
    const manager = fresh()
    const second = await rebuild(manager)
    expect(second.of('demo')?.result).toBe('added')
    expect(second.warnings?.join('\n')).toContain('manager refresh')
    await manager.perform('start', { name: 'demo' }, test.caller)
  })

  it('gives way to what runs an instance; without any copy that alone names its runtime', async () => {
    await test.close()
    test = await createTestManager({ runtimes: { second: secondRuntime() } })
    await test.perform('add', { name: 'demo' })
    const old = join(test.folder, 'copy')
    renameSync(copies()[0]?.file as string, old)
    await test.perform('move', { name: 'demo', to: 'second' })
    for (const { file } of copies()) rmSync(file)
    renameSync(old, join(test.context.home.registryCopies, '000000001-20261101T000000Z.db'))
    const runtimesAfter = async () => {
      lose()
      const manager = fresh()
      const { list } = await manager.perform('doctor', { rebuild: true }, test.caller)
      const rows = list as readonly { readonly result: string; readonly message: string }[]
      return [...rows, ...manager.context.registry.instances().map(({ runtime }) => runtime)]
    }
    expect(await runtimesAfter()).toEqual([
      expect.objectContaining({
        result: 'changed',
        message: expect.stringContaining('Its runtime is second, not process.'),
      }),
      'second',
    ])
    rmSync(test.context.home.registryCopies, { recursive: true })
    expect(await runtimesAfter()).toEqual([expect.objectContaining({ result: 'added' }), 'second'])
  })

  it('undoes nothing that was under way when it was made', async () => {
    await test.perform('add', { name: 'demo', 'no-start': true })
    const { registry } = test.context
    const open = (state: string) =>
      registry[sqlite]
        .prepare(
          `insert into operation (id, kind, instance_id, instance, title, actor, surface, request, facts, locks, state, owner, started)
           values (?, 'add', ?, 'demo', 'Add', 'tester', 'cli', '{}', '{}', '[]', ?, '{"pid":1,"start":"1","boot":"x"}', '2026')`,
        )
        .run(`of-${state}`, registry.get('demo').id, state)
    for (const state of ['running', 'attention']) open(state)
    registry.transaction((writer) =>
      writer.updateInstance(registry.get('demo').id, { operation: 'of-running', desired: 'stopped' }),
    )
    test.context.registryCopies.keep()
    lose()
    const manager = fresh()
    const { of } = await rebuild(manager)
    expect(of('demo')).toMatchObject({ result: 'changed', message: expect.stringContaining('when the copy was made') })
    await manager.perform('list', {}, test.caller)
    expect(existsSync(manager.context.home.instance(manager.context.registry.get('demo').id).settings)).toBe(true)
    await manager.perform('start', { name: 'demo' }, test.caller)
  })
})

describe('doctor --rebuild', () => {
  it('leaves alone what has no settings, and a registry that is whole but for what is not in it', async () => {
    await test.perform('add', { name: 'demo', 'no-start': true })
    const { registry, home } = test.context
    mkdirSync(join(home.instances, 'nobody12'))
    const demo = registry.get('demo')
    registry.transaction((writer) => writer.deleteInstance(demo.id))
    const { of, message } = await rebuild(test.manager)
    expect(message).toContain('1 added')
    expect(of('nobody12')).toMatchObject({ result: 'unclear' })
    expect(registry.get(demo.id).port).toBe(demo.port)
    rmSync(home.instance(demo.id).folder, { recursive: true })
    expect((await rebuild(test.manager)).of(demo.id)).toMatchObject({ result: 'unclear' })
    expect(registry.byId(demo.id)).toBeDefined()
  })

  it('is refused while a server has the damaged registry open', async () => {
    await test.perform('add', { name: 'demo', 'no-start': true })
    damage(registryFile())
    const open = `require('node:fs').openSync(${JSON.stringify(registryFile())}); console.log('open'); setInterval(() => {}, 1e6)`
    const server = spawn(process.execPath, ['-e', open], { stdio: ['ignore', 'pipe', 'inherit'] })
    try {
      await once(server.stdout, 'data')
      expect(await failure(rebuild(fresh()))).toMatchObject({
        code: 'ERR_BUSY',
        message: expect.stringContaining(`process ${server.pid}`),
      })
    } finally {
      server.kill('SIGKILL')
      await once(server, 'exit')
    }
    expect((await rebuild(fresh())).exitCode).toBe(0)
  })

  it('is refused while another command works with the home', async () => {
    lose()
    const lock = test.context.locks.tryAcquire(['instance:x'], 'save of demo by alice')
    expect(await failure(rebuild(fresh()))).toMatchObject({
      code: 'ERR_BUSY',
      message: expect.stringContaining('alice'),
    })
    lock?.release()
  })
})
