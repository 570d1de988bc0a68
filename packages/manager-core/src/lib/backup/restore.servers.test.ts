import { afterAll, beforeAll, expect, test } from 'vitest'
import { execute, needs } from '../../../../../tests/servers/index.js'
import { sqlite } from '../store/sqlite.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { databaseConfig } from '../testing/database-config.js'
import { tellFake } from '../testing/fake-application.js'

for (const type of ['postgresql', 'mysql'] as const)
  needs(type, (url) => {
    let manager: TestManager

    beforeAll(async () => {
      manager = await createTestManager({ config: databaseConfig(url) })
    })
    afterAll(() => manager?.close())

    const accountOf = async (name: string) =>
      manager.context.databases.account(manager.path(name), await manager.context.settings.instance(manager.path(name)))

    const rowsOf = async (name: string) => {
      const server = manager.context.databases.server(type)
      return (await server.statistics(await accountOf(name))).rows
    }

    /** As the application does, with what it knows of its database. */
    const write = async (name: string, sql: string) =>
      execute(manager.context.databases.server(type).url(await accountOf(name)), sql)

    test(`an instance on ${type} is put back, undone and copied`, async () => {
      const { perform, context } = manager
      const server = context.databases.server(type)
      await perform('add', { name: 'demo', database: type })
      await write('demo', 'create table note (text varchar(20))')
      await write('demo', `insert into note values ('saved')`)
      await perform('save', { name: 'demo' })
      const { manifest } = await context.backups.find('demo', 'latest')
      expect(manifest).toMatchObject({ consistency: 'suspended', database: { type, rows: { note: 1 } }, warnings: [] })

      // With a database and user of its own, which are gone afterwards.
      await perform('prove', { name: 'demo' })
      const proved = context.registry[sqlite]
        .prepare(`select facts ->> '$.names' as names from operation where kind = 'prove'`)
        .get() as { names: string }
      expect(await server.exists({ ...JSON.parse(proved.names), password: '' })).toBe('no')

      const before = await accountOf('demo')
      await write('demo', `insert into note values ('later')`)
      await perform('restore', { name: 'demo' })
      expect(await rowsOf('demo')).toEqual({ note: 1 })
      const after = await accountOf('demo')
      expect(after.name).not.toBe(before.name)
      // It is in the trash, from where it comes back, or goes for good.
      expect(await server.exists(before)).toBe('yes')
      const { list } = await perform('trash')
      const [{ entry }] = list as [{ entry: string }]
      await perform('undelete', { entry, as: 'former' })
      expect(await rowsOf('former')).toEqual({ note: 2 })
      await perform('delete', { name: 'former', purge: true })
      expect(await server.exists(before)).toBe('no')
      // It may write into it.
      await write('demo', `insert into note values ('later')`)

      // What cannot start is taken back, and its database goes.
      tellFake(manager.path('demo', 'app'), { start: 'fail' })
      await perform('save', { name: 'demo' })
      tellFake(manager.path('demo', 'app'), {})
      await write('demo', `insert into note values ('last')`)
      await expect(perform('restore', { name: 'demo' })).rejects.toMatchObject({
        code: 'ERR_ROLLED_BACK',
        message: expect.stringContaining('did not start'),
      })
      expect((await accountOf('demo')).name).toBe(after.name)
      expect(await rowsOf('demo')).toEqual({ note: 3 })

      await perform('stop', { name: 'demo' })
      await perform('restore', { name: 'demo', from: manifest.id })
      expect(await rowsOf('demo')).toEqual({ note: 1 })
      await perform('restore', { name: 'demo', from: manifest.id, as: 'same' })
      expect(await rowsOf('same')).toEqual({ note: 1 })

      const accounts = await Promise.all(['demo', 'same'].map(accountOf))
      for (const name of ['demo', 'same']) await perform('delete', { name, purge: true })
      for (const account of accounts) expect(await server.exists(account)).toBe('no')
    })
  })
