/** @module-tag mixed */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { ManagerError } from '../../errors.js'
import { fullGrant } from '../domain/grant.js'
import { sqlite } from '../store/sqlite.js'
import type { AddMany } from '../testing/add-many.js'
import { canMount, mountMemory, unmount } from '../testing/small-disk.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { fakeApplicationServer, writeTemplate } from '../testing/fake-application.js'
import { fillDisk } from '../testing/fill-disk.js'
import { runProgram } from '../testing/run-program.js'
import { takeSnapshots } from '../testing/snapshot.js'
import { takePorts } from '../testing/take-ports.js'
import { writeHook } from '../testing/write-hook.js'

let test: TestManager

afterEach(() => test?.close())

const failure = (promise: Promise<unknown>) => promise.then(() => undefined).catch((error: ManagerError) => error)

describe('two commands on one instance at once', () => {
  it('the second is refused with the name of the first, or waits for it', { tags: 'core' }, async () => {
    test = await createTestManager()
    await test.perform('add', { name: 'demo', 'no-start': true })
    const go = join(test.folder, 'go')
    writeHook(test.home, 'pre-start', `while [ ! -e '${go}' ]; do sleep 0.02; done`)
    const first = test.perform('start', { name: 'demo' })
    const other = test.another()
    const begun = () => other.context.registry.get('demo').operation !== ''
    await expect.poll(begun).toBe(true)
    const caller = { actor: 'second', surface: 'cli', grant: fullGrant } as const
    expect(await failure(other.perform('rename', { name: 'demo', new: 'sales' }, caller))).toMatchObject({
      code: 'ERR_BUSY',
      outcome: 'busy',
      message: expect.stringMatching(
        new RegExp(
          `^Busy: the instance is in use by start of "demo" by tester, process ${process.pid}, since \\d{4}-.*\\.$`,
        ),
      ),
    })
    const second = other.perform('rename', { name: 'demo', new: 'sales' }, { ...caller, waitMs: 600_000 })
    writeFileSync(go, '')
    await Promise.all([first, second])
    expect(test.instance('sales')).toMatchObject({ desired: 'started', observed: 'started', operation: '' })
  })
})

/** By each of eight processes. */
const added = process.env['TEST_DEEP'] === '1' ? 25 : 10

describe(`${8 * added} instances added by eight processes at the same time`, () => {
  it('all are there, with names and ports of their own', async () => {
    test = await createTestManager({ config: ['export APPS_PORTS=11000-11399'] })
    const { home, template } = test
    const run: AddMany = { home, applicationServer: fakeApplicationServer, defaultTemplate: template, count: added }
    // Half of them choose names that differ in case only from those of others, or let the manager choose.
    const outputs = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        runProgram('./add-many.ts', { ...run, ...(n % 2 && { prefix: `name${n}x` }) }),
      ),
    )
    const names = outputs.flatMap((output) => JSON.parse(output as string) as string[])
    const all = test.context.registry.instances()
    expect(new Set(names).size).toBe(8 * added)
    expect(all.map(({ name }) => name).toSorted()).toEqual(names.toSorted())
    expect(new Set(all.map(({ port }) => port)).size).toBe(8 * added)
    expect(readdirSync(join(home, 'instances')).toSorted()).toEqual(all.map(({ id }) => id).toSorted())
    expect(all.every(({ operation }) => operation === '')).toBe(true)
    expect(test.context.registry.history({ limit: 1000 })).toHaveLength(8 * added)
  })
})

describe('a clock that is set back', () => {
  it('disturbs no command, and not the order of the history', async () => {
    let now = Date.parse('2026-11-21T12:00:00Z')
    test = await createTestManager({ clock: () => new Date((now -= 3_600_000)) })
    const commands = [
      ['add', { name: 'demo' }],
      ['save', { name: 'demo' }],
      ['restore', { name: 'demo' }],
      ['rename', { name: 'demo', new: 'sales' }],
      ['delete', { name: 'sales' }],
      ['undelete', { entry: 'sales' }],
    ] as const
    for (const [action, input] of commands) await test.perform(action, input)
    const history = test.context.registry.history()
    expect(history.map(({ action }) => action)).toEqual(commands.map(([action]) => action))
    expect(history.every(({ duration }) => duration >= 0 && duration < 120_000)).toBe(true)
  })
})

const reason = canMount() ? '' : ' (skipped: it takes the right to mount a small file system)'

describe.skipIf(reason !== '')(`a disk that gets full${reason}`, () => {
  let folder: string
  let isArmed: boolean
  const ballast = () => join(folder, 'ballast')

  beforeEach(() => {
    isArmed = true
  })

  afterEach(async () => {
    await test?.close().catch(() => undefined)
    unmount(folder)
    rmSync(folder, { recursive: true })
  })

  /** A home on a small file system that is full from an entry of the journal on. */
  async function managerOnDisk(step: string): Promise<TestManager> {
    folder = mkdtempSync(join(tmpdir(), 'steward-disk-'))
    mountMemory(folder, '40m')
    const ports = takePorts()
    onTestFinished(() => ports.release())
    mkdirSync(join(folder, 'home'))
    writeTemplate(join(folder, 'template'))
    writeFileSync(join(folder, 'template', 'large'), Buffer.alloc(300_000, 1))
    const lines = [
      'export APPS_BASEURL=http://localhost:8000',
      `export APPS_PORTS=${ports.range}`,
      'export APPS_ISOLATION=no',
    ]
    writeFileSync(join(folder, 'home', 'config.sh'), `${lines.join('\n')}\n`, { mode: 0o600 })
    writeFileSync(join(folder, 'home', 'version-1.0.sh'), `export APPS_TEMPLATE=folder:${folder}/template\n`)
    test = await createTestManager({
      folder,
      onJournal(point) {
        if (point.at === 'intent' && point.step === step && isArmed) fill()
      },
    })
    await test.context.templates.refresh()
    return test
  }

  function fill(): void {
    isArmed = false
    fillDisk(ballast())
  }

  it.each(['layout', 'settings', 'database', 'place'])('add undoes all when it is full in "%s"', async (step) => {
    await managerOnDisk(step)
    const before = await takeSnapshots(test.context)
    const error = await failure(test.perform('add', { name: 'demo', 'no-start': true }))
    expect(error).toMatchObject({ code: 'ERR_ROLLED_BACK', cause: { code: 'ERR_DISK' } })
    expect(error?.message).toMatch(/All changes were rolled back\.$/)
    rmSync(ballast())
    const { exact } = await takeSnapshots(test.context)
    expect(exact).toEqual(before.exact)
    expect(test.context.registry[sqlite].prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
    await test.perform('add', { name: 'demo', 'no-start': true })
  })

  it(
    'save undoes all when it is full while it is written, and the instance keeps running',
    { tags: 'core' },
    async () => {
      await managerOnDisk('save')
      await test.perform('add', { name: 'demo' })
      const before = await takeSnapshots(test.context)
      expect(await failure(test.perform('save', { name: 'demo' }))).toMatchObject({
        code: 'ERR_ROLLED_BACK',
        cause: { code: 'ERR_DISK' },
      })
      rmSync(ballast())
      expect((await takeSnapshots(test.context)).exact).toEqual(before.exact)
      await test.perform('save', { name: 'demo' })
    },
  )
})
