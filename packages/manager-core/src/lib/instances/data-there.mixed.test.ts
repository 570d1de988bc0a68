/** @module-tag mixed */
import { DatabaseSync } from 'node:sqlite'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'

let test: TestManager
beforeAll(async () => {
  test = await createTestManager({ config: ['APPS_DATABASES=sqlite', 'export APPS_HEALTHWINDOW=0'] })
  await test.perform('add', { name: 'demo' })
})
afterAll(() => test.close())

const database = () => test.path('demo', 'data', 'database.db')
const kept = () => `${database()}.kept`
const runs = async () => {
  const { id } = test.instance('demo')
  return (await test.context.runtimes.named('process').observe({ id, folder: test.path('demo') })).state
}
const refused = (what: RegExp) => ({
  code: 'ERR_STATE',
  message: expect.stringMatching(what),
  help: expect.stringContaining('start demo --empty'),
})

/** Stopped, with a note of its own. */
beforeEach(async () => {
  await test.perform('start', { name: 'demo' })
  await test.perform('stop', { name: 'demo' })
})

describe('an instance whose database file is gone', () => {
  it.each(['start', 'restart', 'upgrade'])('%s refuses, and makes no empty one', { tags: 'core' }, async (action) => {
    renameSync(database(), kept())
    try {
      await expect(
        test.perform(action, { name: 'demo', ...(action === 'upgrade' && { force: true }) }),
      ).rejects.toMatchObject(refused(/^"demo" was not started: its database file data\/database\.db is missing/))
      expect(existsSync(database())).toBe(false)
    } finally {
      renameSync(kept(), database())
    }
  })

  it('startall reports it as failed', async () => {
    renameSync(database(), kept())
    await test.perform('setstatus', { name: 'demo', status: 'started' })
    const { list, exitCode } = await test.perform('startall')
    renameSync(kept(), database())
    expect(list).toMatchObject([{ name: 'demo', result: 'failed', message: expect.stringContaining('is missing') }])
    expect(exitCode).toBe(1)
    expect(await test.perform('startall')).toMatchObject({ exitCode: 0 })
  })

  it('restart and app-debug leave one that runs as it is', async () => {
    await test.perform('start', { name: 'demo' })
    renameSync(database(), kept())
    for (const action of ['restart', 'app-debug'])
      await expect(test.perform(action, { name: 'demo' })).rejects.toMatchObject(refused(/is missing/))
    expect(await runs()).toBe('started')
    renameSync(kept(), database())
  })

  it('is not started again by its supervisor after a crash', async () => {
    await test.perform('start', { name: 'demo' })
    renameSync(database(), kept())
    const pid = Number(readFileSync(test.path('demo', 'run', 'application'), 'utf8').split(' ')[0])
    process.kill(pid, 'SIGKILL')
    while ((await runs()) !== 'crashed') await sleep(20)
    expect(existsSync(database())).toBe(false)
    expect(test.log('demo')).toContain(`${database()} is gone, so it is not started again`)
    renameSync(kept(), database())
  })

  it('start --empty makes an empty one, and refuses one whose database is there', async () => {
    await expect(test.perform('start', { name: 'demo', empty: true })).rejects.toMatchObject({
      code: 'ERR_STATE',
      message: 'The data of "demo" exists. --empty only works if the data is missing.',
    })
    renameSync(database(), kept())
    await test.perform('start', { name: 'demo', empty: true })
    expect(await runs()).toBe('started')
    await test.perform('stop', { name: 'demo' })
    rmSync(database())
    await expect(test.perform('start', { name: 'demo' })).rejects.toMatchObject(refused(/is missing/))
    renameSync(kept(), database())
  })
})

it('a database without tables is refused, too, unless the instance was just reset', async () => {
  renameSync(database(), kept())
  new DatabaseSync(database()).close()
  writeFileSync(database(), '')
  await expect(test.perform('start', { name: 'demo' })).rejects.toMatchObject(refused(/no longer has tables/))
  rmSync(database())
  renameSync(kept(), database())
  await test.perform('reset', { name: 'demo' })
  await test.perform('start', { name: 'demo' })
  expect(await runs()).toBe('started')
})

it('documents that are gone are refused; a folder that was emptied is not', { tags: 'core' }, async () => {
  const documents = test.path('demo', 'data', 'documents')
  mkdirSync(documents)
  writeFileSync(`${documents}/a`, 'kept')
  await test.perform('start', { name: 'demo' })
  await test.perform('stop', { name: 'demo' })
  rmSync(documents, { recursive: true })
  await expect(test.perform('start', { name: 'demo' })).rejects.toMatchObject(refused(/its documents .* are missing/))
  mkdirSync(documents)
  await test.perform('start', { name: 'demo' })
})

it('a folder for data that is gone is refused', async () => {
  renameSync(test.path('demo', 'data'), test.path('demo', 'kept'))
  await expect(test.perform('start', { name: 'demo' })).rejects.toMatchObject(refused(/its folder "data" is missing/))
  renameSync(test.path('demo', 'kept'), test.path('demo', 'data'))
})
