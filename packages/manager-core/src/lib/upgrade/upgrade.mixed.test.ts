/** @module-tag mixed */
import { appendFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { writeTemplate, type FakeApplication } from '../testing/fake-application.js'

let test: TestManager

const open = async () => {
  test = await createTestManager({ config: ['export APPS_HEALTHWINDOW=1'] })
}

/** Publishes another revision of version 1.0. */
async function publish(fake: FakeApplication = {}, files: Readonly<Record<string, string>> = {}) {
  writeTemplate(test.template, { version: '1.1.0', fake })
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(test.template, path, '..'), { recursive: true })
    writeFileSync(join(test.template, path), content)
  }
  await test.perform('refresh')
}

const sql = (name: string, text: string) => {
  const database = new DatabaseSync(test.path(name, 'data', 'database.db'))
  try {
    return database
      .prepare(text)
      .all()
      .map((row) => ({ ...row }))
  } finally {
    database.close()
  }
}
const healthy = async (name: string) => (await fetch(`http://127.0.0.1:${test.instance(name).port}/health`)).status
const appVersion = (name: string) => /version: (.*)/.exec(readFileSync(test.path(name, 'app', 'app.yaml'), 'utf8'))?.[1]
const leftovers = (name: string) => [
  ...readdirSync(test.path(name)).filter((entry) => entry.startsWith('app.')),
  ...readdirSync(join(test.home, 'instances')).filter((entry) => entry.startsWith('.')),
  ...(existsSync(join(test.home, 'snapshots')) ? readdirSync(join(test.home, 'snapshots')) : []),
]

describe('upgrade', () => {
  beforeEach(open)
  afterEach(() => test.close())

  it('moves code, keeps data, and starts it again', { tags: 'core' }, async () => {
    await test.perform('add', { name: 'demo' })
    sql('demo', `insert into note (text) values ('mine')`)
    writeFileSync(test.path('demo', 'data', 'file.txt'), 'mine')
    await publish()
    const { message } = await test.perform('upgrade', { name: 'demo' })
    expect(message).toContain('"demo" is upgraded to 1.0')
    expect(appVersion('demo')).toBe('1.1.0')
    expect(await healthy('demo')).toBe(200)
    expect(sql('demo', 'select text from note')).toEqual([{ text: 'first' }, { text: 'mine' }])
    expect(leftovers('demo')).toEqual([])
    const [version] = await test.context.templates.list()
    expect(test.instance('demo')).toMatchObject({ revision: version?.revision, versionDate: version?.date })
    expect((await test.perform('upgrade', { name: 'demo' })).message).toContain('already has the latest 1.0')
    expect((await test.perform('upgrade', { name: 'demo', force: true })).message).toContain('is upgraded')
  })

  it('tries one that is stopped, and stops it again', async () => {
    await test.perform('add', { name: 'demo', 'no-start': true })
    await publish()
    const { plan } = await test.perform('upgrade', { name: 'demo' }, { dryRun: true })
    expect(plan?.title).toContain('which is stopped and will be started for the test')
    expect(appVersion('demo')).toBe('1.0.0')
    await test.perform('upgrade', { name: 'demo' })
    expect(test.instance('demo')).toMatchObject({ desired: 'stopped', observed: 'stopped' })
    await expect(healthy('demo')).rejects.toThrow()
    await publish({ start: 'fail' })
    await expect(test.perform('upgrade', { name: 'demo' })).rejects.toMatchObject({ code: 'ERR_ROLLED_BACK' })
    expect(test.instance('demo')).toMatchObject({ desired: 'stopped', observed: 'stopped' })
    expect(appVersion('demo')).toBe('1.1.0')
  })

  it('imports new patches in the order of their names when the instance does not upgrade itself', async () => {
    mkdirSync(join(test.template, 'patches'))
    writeFileSync(join(test.template, 'patches', '1.xml'), '<old/>')
    await test.perform('refresh')
    await test.perform('add', { name: 'demo', 'no-start': true })
    // After the instance was made, whose own settings do not count.
    appendFileSync(test.path('demo', 'settings.sh'), 'SERVICE_AUTOUPGRADE=true\n')
    appendFileSync(join(test.home, 'version-1.0.sh'), 'APPS_AUTOUPGRADE=false\n')
    await publish({}, { 'patches/10.json': '{}', 'patches/2.xml': '<x/>', 'patches/README.md': 'x' })
    await test.perform('upgrade', { name: 'demo' })
    const imports = () => test.log('demo').match(/^io .*/gm)
    expect(imports()).toEqual(['io xmlimport', 'io jsonimport'])
    await publish({}, { 'patches/11.zip': 'x' })
    await test.perform('upgrade', { name: 'demo' })
    expect(imports()).toEqual(['io xmlimport', 'io jsonimport', 'io zipimport'])
  })

  it('stops when the hook pre-upgrade fails, and only warns when post-upgrade does', async () => {
    await test.perform('add', { name: 'demo' })
    await publish()
    const hook = (name: string, text: string) => {
      mkdirSync(join(test.home, 'hooks'), { recursive: true })
      writeFileSync(join(test.home, 'hooks', `${name}.sh`), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
    }
    hook('pre-upgrade', 'echo "$1 $2: not now"; exit 1')
    await expect(test.perform('upgrade', { name: 'demo' })).rejects.toMatchObject({
      output: expect.stringContaining('demo 1.0: not now') as string,
    })
    expect(appVersion('demo')).toBe('1.0.0')
    hook('pre-upgrade', 'exit 0')
    hook('post-upgrade', 'exit 1')
    const { warnings } = await test.perform('upgrade', { name: 'demo' })
    expect(warnings?.join()).toContain('post-upgrade')
    expect(appVersion('demo')).toBe('1.1.0')
  })

  it('says what is missing', { tags: 'core' }, async () => {
    await expect(test.perform('upgrade', { name: 'nobody' })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
    await test.perform('add', { name: 'demo', 'no-start': true })
    rmSync(join(test.home, 'version-1.0.sh'))
    await test.perform('refresh')
    await expect(test.perform('upgrade', { name: 'demo' })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
  })
})

describe('an upgrade that fails', () => {
  beforeAll(async () => {
    await open()
    await test.perform('add', { name: 'demo' })
    sql('demo', `insert into note (text) values ('mine')`)
    writeFileSync(test.path('demo', 'data', 'file.txt'), 'mine')
  })
  afterAll(() => test.close())

  it.each<[what: string, fake: FakeApplication, why: RegExp]>([
    ['ends soon after it changed tables', { migrate: 'drop table note', health: 'KO' }, /not healthy after 5 s/],
    ['does not start', { start: 'fail' }, /ended soon after its start/],
    ['is healthy and then is not', { migrate: "update note set text = 'spoilt'", crashMs: 400 }, /no longer is|ended/],
  ])('puts code and data back when the new version %s', async (_what, fake, why) => {
    const before = test.instance('demo')
    await publish(fake)
    // One that is never healthy is waited for no longer.
    const settings = fake.health === 'KO' ? { environment: { APPS_STARTTIMEOUT: '5' } } : {}
    await expect(test.another(settings).perform('up', { name: 'demo' }, test.caller)).rejects.toMatchObject({
      code: 'ERR_ROLLED_BACK',
      message: expect.stringMatching(why) as string,
      output: expect.any(String) as string,
    })
    expect(appVersion('demo')).toBe('1.0.0')
    expect(await healthy('demo')).toBe(200)
    expect(sql('demo', 'select text from note')).toEqual([{ text: 'first' }, { text: 'mine' }])
    expect(readFileSync(test.path('demo', 'data', 'file.txt'), 'utf8')).toBe('mine')
    expect(leftovers('demo')).toEqual([])
    const { updated: _a, ...now } = test.instance('demo')
    const { updated: _b, ...then } = before
    expect(now).toEqual(then)
  })
})
