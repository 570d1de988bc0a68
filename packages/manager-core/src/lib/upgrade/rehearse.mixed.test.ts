/** @module-tag mixed */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { writeTemplate, type FakeApplication } from '../testing/fake-application.js'
import type { RehearsalReport } from './rehearsal-report.js'

let test: TestManager

beforeEach(async () => {
  test = await createTestManager({
    config: ['export APPS_HEALTHWINDOW=0', 'export APPS_REHEARSEUPGRADES=yes'],
  })
  await test.perform('add', { name: 'demo' })
})

afterEach(() => test.close())

async function publish(version: string, fake: FakeApplication = {}) {
  writeTemplate(test.template, { version, fake })
  await test.perform('refresh')
}

const rehearse = () => test.perform('upgrade', { name: 'demo', rehearse: true })
const appVersion = () => /version: (.*)/.exec(readFileSync(test.path('demo', 'app', 'app.yaml'), 'utf8'))?.[1]
const pids = async () =>
  (await test.context.runtimes.named('process').observe({ id: test.instance('demo').id, folder: test.path('demo') }))
    .pids
const shown = async () => (await test.perform('get', { name: 'demo' })).item as Record<string, unknown>
const rehearsals = () =>
  test.context.registry
    .history()
    .filter(({ action }) => action === 'rehearse')
    .map(({ result, message }) => ({ result, message }))

/** What there is besides the instance itself. */
function leftovers() {
  const { id } = test.instance('demo')
  return [
    ...readdirSync(join(test.home, 'instances')).filter((name) => name !== id),
    ...readdirSync(test.path('demo')).filter((name) => /^(app\.|restore-)/.test(name)),
    ...test.context.registry.instances().filter(({ name }) => name !== 'demo'),
  ]
}

describe('upgrade --rehearse', () => {
  it(
    'upgrades a neutralised copy, says what changes and how long it takes, and leaves nothing',
    { tags: 'core' },
    async () => {
      const before = { ...test.instance('demo'), pids: await pids() }
      const told: string[] = []
      await publish('1.1.0', { migrate: "create table extra (id integer); insert into note (text) values ('more')" })
      const { revision } = (await test.context.templates.list())[0] as { revision: string }
      const { message, item } = await test.perform(
        'upgrade',
        { name: 'demo', rehearse: true },
        {
          onEvent(event) {
            if (event.type !== 'step' || event.step !== 'unit-tests' || event.state !== 'running') return
            const [row] = test.context.registry.instances().filter(({ source }) => source === 'rehearse:demo')
            const home = test.context.home.instance(row?.id ?? '')
            told.push(readFileSync(home.settings, 'utf8'), readFileSync(join(home.app, 'app.yaml'), 'utf8'))
          },
        },
      )
      expect(told[0]).toContain('SERVICE_NEUTRALISED=true')
      expect(told[1]).toContain('version: 1.1.0')
      const report = item as RehearsalReport
      expect(report).toMatchObject({ instance: 'demo', revision, from_revision: before.revision, unit_tests: 'none' })
      expect(report.rows).toEqual([
        { table: 'extra', before: null, after: 0 },
        { table: 'note', before: 1, after: 2 },
      ])
      expect(message).toContain('Rehearsal succeeded for version 1.0 of')
      const { updated: _before, pids: processes, ...row } = before
      const { updated: _after, ...now } = test.instance('demo')
      expect([now, await pids(), appVersion(), leftovers()]).toEqual([row, processes, '1.0.0', []])
      expect((await test.perform('list')).list).toHaveLength(1)
      expect(await shown()).toMatchObject({ rehearsal: 'good' })
      expect(rehearsals()).toEqual([{ result: 'ok', message: message.split('\n')[0] }])
      const database = new DatabaseSync(test.path('demo', 'data', 'database.db'))
      expect(() => database.prepare('select * from extra')).toThrow('no such table')
      database.close()
    },
  )

  it('fails with the last lines of the log when the new version does not start, and leaves nothing', async () => {
    await publish('1.1.0', { start: 'fail' })
    await expect(rehearse()).rejects.toMatchObject({
      code: 'ERR_ROLLED_BACK',
      output: expect.stringContaining('fails to start') as string,
    })
    expect([appVersion(), leftovers(), (await shown())['rehearsal']]).toEqual(['1.0.0', [], 'failed'])
  })

  it('rehearses what loses data, too, which is refused without --destructive', async () => {
    const description = 'change column note.text from string(80) to string(5)'
    const loss = { table: 'note', column: 'text', description, values: 9, lost: 4 }
    await publish('1.1.0', { changes: { steps: [{ description, destructive: true }], losses: [loss] } })
    await expect(rehearse()).rejects.toMatchObject({ code: 'ERR_STATE' })
    const { item } = await test.perform('upgrade', { name: 'demo', rehearse: true, destructive: true })
    expect(item).toMatchObject({ changes: [description] })
    expect([appVersion(), leftovers()]).toEqual(['1.0.0', []])
  })

  it('fails when a unit test fails', async () => {
    await publish('1.1.0', { io: { unittests: 'FAILED notes: are there' } })
    mkdirSync(join(test.template, 'tests'))
    writeFileSync(join(test.template, 'tests', 'notes.js'), 'export default () => {}')
    await test.perform('refresh')
    await expect(rehearse()).rejects.toMatchObject({ output: 'FAILED notes: are there' })
    expect([appVersion(), leftovers()]).toEqual(['1.0.0', []])
  })
})

describe('APPS_REHEARSEUPGRADES', () => {
  it('lets upgradeall rehearse a revision once, and leave instances alone whose rehearsal fails', async () => {
    await publish('1.1.0', { start: 'fail' })
    const processes = await pids()
    const { list, exitCode } = await test.perform('upgradeall')
    expect(list).toMatchObject([
      { name: 'demo', result: 'failed', message: expect.stringContaining('Rehearse') as string },
    ])
    expect([exitCode, await pids(), appVersion()]).toEqual([1, processes, '1.0.0'])

    await publish('1.2.0')
    await rehearse()
    expect((await test.perform('upgradeall')).list).toMatchObject([{ result: 'upgraded' }])
    expect(rehearsals().map(({ result }) => result)).toEqual(['rolled-back', 'ok'])
    await publish('1.3.0')
    expect((await test.perform('upgradeall')).list).toMatchObject([{ result: 'upgraded' }])
    expect(rehearsals()).toHaveLength(3)
    expect(appVersion()).toBe('1.3.0')
  })
})
