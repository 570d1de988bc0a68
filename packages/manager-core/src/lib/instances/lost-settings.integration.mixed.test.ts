/** @module-tag mixed */
import { existsSync, rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { execute, needs } from '../../../../../tests/servers/index.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { databaseConfig } from '../testing/database-config.js'

needs('postgresql', (postgresql) =>
  needs('mysql', (mysql) => {
    let test: TestManager
    beforeAll(async () => {
      test = await createTestManager({ config: databaseConfig(postgresql, mysql) })
    })
    afterAll(async () => {
      for (const { name } of test.context.registry.instances()) await test.perform('delete', { name, purge: true })
      await test.close()
    })

    const settingsOf = (name: string) => test.context.settings.instance(test.path(name))
    async function databaseOf(name: string) {
      const { databases } = test.context
      const account = databases.account(test.path(name), await settingsOf(name))
      const server = databases.server(test.instance(name).database)
      return { server, account }
    }
    /** Reached with the password in its settings. */
    const rowsOf = async (name: string) => {
      const { server, account } = await databaseOf(name)
      return (await server.statistics(account)).rows
    }
    async function fill(name: string): Promise<void> {
      if (test.instance(name).database === 'sqlite') return
      const { server, account } = await databaseOf(name)
      await execute(server.url(account), 'create table kept (n integer)')
      await execute(server.url(account), 'insert into kept values (7)')
    }

    describe.each(['sqlite', 'postgresql', 'mysql'] as const)('settings.sh that was lost, on %s', (database) => {
      const name = `lost${database}`
      const tags = database === 'sqlite' ? ['core' as const] : []
      let rows: Readonly<Record<string, number>>
      beforeAll(async () => {
        await test.perform('add', { name, database, ...(database !== 'sqlite' && { 'no-start': true }) })
        await fill(name)
        rows = await rowsOf(name)
      })

      it('doctor --fix writes it again, for the data that are there', { tags }, async () => {
        expect(Object.values(rows)).toContain(1)
        const before = await settingsOf(name)
        rmSync(test.path(name, 'settings.sh'))
        const [found] = (await test.perform('doctor', { category: 'instances' })).list as { readonly help: string }[]
        expect(found).toMatchObject({ check: 'instance-folders', level: 'error' })
        expect(JSON.stringify(found)).not.toMatch(/delete|purge/)
        await test.perform('doctor', { category: 'instances', fix: true })
        const after = await settingsOf(name)
        expect(after).toMatchObject({ database, databaseName: before.databaseName, url: before.url })
        expect(after.password.reveal()).not.toBe(before.password.reveal())
        expect(await rowsOf(name)).toEqual(rows)
        if (database === 'sqlite') await test.perform('restart', { name })
        await test.perform('save', { name })
      })

      it('undelete writes it again, for the data that are there', { tags }, async () => {
        rmSync(test.path(name, 'settings.sh'))
        await test.perform('delete', { name })
        const { warnings } = await test.perform('undelete', { entry: name })
        expect(warnings).toContainEqual(expect.stringContaining('had no settings: they were written again'))
        expect(await rowsOf(name)).toEqual(rows)
      })

      it('is not written where another database would be made', { tags }, async () => {
        const { server, account } = await databaseOf(name)
        await test.perform('stop', { name })
        rmSync(test.path(name, 'settings.sh'))
        await server.drop(account)
        const { list } = await test.perform('doctor', { category: 'instances', fix: true })
        expect(JSON.stringify(list)).toContain('cannot be written again: there is no database')
        expect(existsSync(test.path(name, 'settings.sh'))).toBe(false)
        expect(await server.exists(account)).toBe('no')
      })
    })
  }),
)
