/** @module-tag mixed */
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { execute, needs } from '../../../../../tests/servers/index.js'
import { sqlite } from '../store/sqlite.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { databaseConfig } from '../testing/database-config.js'
import { forgeDump } from '../testing/forge-dump.js'
import { manifestName, manifestText } from './manifest.js'

/** What a check did with the names of databases that it made. */
async function expectNothingLeft(test: TestManager): Promise<void> {
  const { context } = test
  expect(readdirSync(join(test.home, 'instances')).toSorted()).toEqual(
    context.registry
      .instances()
      .map(({ id }) => id)
      .toSorted(),
  )
  expect(context.registry.instances()).toMatchObject([{ name: 'demo', operation: '', proved: '' }])
  const made = context.registry[sqlite]
    .prepare(
      `select facts ->> '$.names' as names, facts ->> '$.row.database' as type from operation where kind = 'verify'`,
    )
    .all() as unknown as readonly { names: string; type: 'postgresql' | 'mysql' | 'sqlite' }[]
  for (const { names, type } of made.filter((one) => one.type !== 'sqlite'))
    expect(await context.databases.server(type).exists({ ...JSON.parse(names), password: '' })).toBe('no')
}

describe('backups verify --deep, on SQLite', () => {
  let test: TestManager
  beforeAll(async () => {
    test = await createTestManager()
    await test.perform('add', { name: 'demo' })
    await test.perform('save', { name: 'demo' })
  })
  afterAll(() => test.close())
  const verify = (input = {}) => test.perform('backups verify', { name: 'demo', deep: true, ...input })
  const loads = () =>
    test.context.registry.history({ instance: test.instance('demo').id }).filter(({ action }) => action === 'verify')

  it('loads the database, counts its rows, and leaves nothing', { tags: 'core' }, async () => {
    const { message, warnings } = await verify()
    expect(message).toContain('its database was loaded and has the rows that were backed up')
    expect(warnings).toBeUndefined()
    expect(loads()).toMatchObject([{ result: 'ok' }])
    await expectNothingLeft(test)
  })

  it('without --deep loads nothing', { tags: 'core' }, async () => {
    const before = loads().length
    expect((await verify({ deep: false })).message).toMatch(/is good: every byte was read\.$/)
    expect(loads()).toHaveLength(before)
  })

  it('fails when rows are missing, and leaves nothing', { tags: 'core' }, async () => {
    await test.perform('save', { name: 'demo' })
    const { folder, manifest } = await test.context.backups.find('demo', 'latest')
    chmodSync(join(folder, manifestName), 0o600)
    writeFileSync(
      join(folder, manifestName),
      manifestText({ ...manifest, database: { ...manifest.database, rows: { note: 2 } } }),
    )
    await expect(verify()).rejects.toMatchObject({ message: expect.stringContaining('note has 1 row, not 2') })
    await expectNothingLeft(test)
  })
})

describe.each(['postgresql', 'mysql'] as const)('backups verify --deep, on %s', (type) => {
  needs(type, (url) => {
    let test: TestManager
    beforeAll(async () => {
      test = await createTestManager({ config: databaseConfig(url) })
      await test.perform('add', { name: 'demo', database: type, 'no-start': true })
      const account = test.context.databases.account(
        test.path('demo'),
        await test.context.settings.instance(test.path('demo')),
      )
      const to = test.context.databases.server(type).url(account)
      await execute(to, 'create table note (text varchar(20))')
      await execute(to, 'create view notes as select text from note')
      await test.perform('save', { name: 'demo' })
    })
    afterAll(() => test?.close())
    const verify = (manager: Pick<TestManager, 'perform'> = test) =>
      manager.perform('backups verify', { name: 'demo', deep: true }, test.caller)

    it('loads the database, with its views, and leaves nothing', async () => {
      expect((await verify()).message).toContain('its database was loaded')
      await expectNothingLeft(test)
    })

    it('says why there is no database to load it into', async () => {
      const file = join(test.home, 'config.sh')
      const before = readFileSync(file, 'utf8')
      writeFileSync(file, `${before}\nexport APPS_DATABASES=sqlite\n`)
      const { message, warnings } = await verify(test.another())
      writeFileSync(file, before)
      expect(message).toMatch(/everything in it was read, but its database was not loaded\.$/)
      expect(warnings).toEqual([
        expect.stringMatching(/^Its database was not loaded into a temporary one: .* is not enabled/),
      ])
    })

    it('fails when its database refuses an object of the dump, and leaves nothing', async () => {
      // All of its bytes are right.
      forgeDump(await test.context.backups.find('demo', 'latest'), (plain) => {
        const line = Buffer.from('create view broken as select missing from nowhere;\n')
        return Buffer.concat([line, plain])
      })
      await expect(verify()).rejects.toMatchObject({ message: expect.stringMatching(/nowhere/) })
      await expectNothingLeft(test)
    })
  })
})
