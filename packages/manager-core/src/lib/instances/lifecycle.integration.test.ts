import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DatabaseAccount } from '@steward/db-adapters/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { needs, needsOwn, type TestServer } from '../../../../../tests/servers/index.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'

/** The real one, with the template that ships. */
const applicationServer = fileURLToPath(new URL('../../../../app-server/dist/cli.js', import.meta.url))
const defaultTemplate = fileURLToPath(new URL('../../../../../templates/default', import.meta.url))

function managerOf(type: 'postgresql' | 'mysql', url: string): Promise<TestManager> {
  const { hostname, port, username, password } = new URL(url)
  const name = `APPS_${type.toUpperCase()}`
  return createTestManager({
    applicationServer,
    defaultTemplate,
    version: ['APPS_TEMPLATE=default'],
    config: [
      `export APPS_DATABASES=sqlite,${type}`,
      `export ${name}_HOST=${hostname}`,
      `export ${name}_PORT=${port}`,
      `export ${name}_ADMINUSER=${decodeURIComponent(username)}`,
      `export ${name}_ADMINPASSWORD='${decodeURIComponent(password)}'`,
    ],
  })
}

for (const type of ['postgresql', 'mysql'] as const)
  needs(type, (url) => {
    let manager: TestManager

    beforeAll(async () => {
      manager = await managerOf(type, url)
    })
    afterAll(() => manager?.close())

    const accountOf = async (name: string) =>
      manager.context.databases.account(manager.path(name), await manager.context.settings.instance(manager.path(name)))

    const isThere = (account: DatabaseAccount) => manager.context.databases.server(type).exists(account)

    const companiesIn = async (account: DatabaseAccount) =>
      (await manager.context.databases.server(type).statistics(account)).rows['company']

    async function addCompany(name: string, company = 'New company'): Promise<void> {
      const { adminUser, adminPassword } = await manager.context.settings.instance(manager.path(name))
      const credentials = Buffer.from(`${adminUser}:${adminPassword.reveal()}`).toString('base64')
      const response = await fetch(`http://127.0.0.1:${manager.instance(name).port}/api/rest/Company`, {
        method: 'POST',
        headers: { Authorization: `Basic ${credentials}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ com_name: company }),
      })
      expect(await response.text()).toContain(company)
    }

    test('instances have databases and users of their own, from add to purge', async () => {
      const { perform } = manager
      await perform('add', { name: 'demo', database: type })
      const demo = await accountOf('demo')
      expect(await isThere(demo)).toBe('yes')
      const blank = (await companiesIn(demo)) as number
      await addCompany('demo')

      await perform('clone', { name: 'demo', new: 'copy', 'no-start': true })
      const copy = await accountOf('copy')
      for (const key of ['name', 'user', 'password'] as const) expect(copy[key]).not.toBe(demo[key])
      expect(await companiesIn(copy)).toBe(blank + 1)

      await perform('stop', { name: 'demo' })
      await perform('reset', { name: 'demo' })
      const fresh = await accountOf('demo')
      expect(fresh.name).not.toBe(demo.name)
      expect(await isThere(fresh)).toBe('yes')
      await perform('undelete', { entry: 'demo', as: 'old' })
      expect(await accountOf('old')).toEqual(demo)
      expect(await companiesIn(demo)).toBe(blank + 1)

      await perform('start', { name: 'demo' })
      expect(await companiesIn(fresh)).toBe(blank)

      for (const name of ['old', 'copy', 'demo']) await perform('delete', { name })
      for (const account of [demo, copy, fresh]) expect(await isThere(account)).toBe('yes')
      await perform('purge', { all: true })
      for (const account of [demo, copy, fresh]) expect(await isThere(account)).toBe('no')
    }, 120_000)

    // The way is the same for all types.
    if (type === 'postgresql')
      test('a clone may have another type of database than its source, which goes on, and so may its clone', async () => {
        const { perform } = manager
        await perform('add', { name: 'here', database: type })
        const before = (await companiesIn(await accountOf('here'))) as number
        await addCompany('here')
        await perform('clone', { name: 'here', new: 'file', database: 'sqlite', 'no-start': true })
        await addCompany('here', 'Later company')
        await perform('clone', { name: 'file', new: 'back', database: type })
        await perform('start', { name: 'back' })
        expect(await companiesIn(await accountOf('back'))).toBe(before + 1)
        for (const name of ['here', 'file', 'back']) await perform('delete', { name, purge: true })
      }, 120_000)
  })

for (const type of ['postgresql', 'mysql'] as const)
  needsOwn(type, (start) => {
    let server: TestServer
    let manager: TestManager

    beforeAll(async () => {
      server = await start()
      manager = await managerOf(type, server.url)
    }, 60_000)
    afterAll(async () => {
      await manager?.close()
      await server?.close()
    })

    test('a server that is down is told before anything is made, and a purge waits for it', async () => {
      const { perform, context, home } = manager
      await perform('add', { name: 'demo', database: type, 'no-start': true })
      await perform('delete', { name: 'demo' })
      await server.stop()
      await expect(perform('add', { name: 'other', database: type })).rejects.toMatchObject({
        code: 'ERR_DATABASE',
        help: expect.stringContaining('config.sh'),
      })
      expect(context.registry.count()).toBe(0)
      expect(readdirSync(join(home, 'instances'))).toEqual([])
      await expect(perform('purge', { entry: 'demo' })).rejects.toMatchObject({ code: 'ERR_DATABASE' })
      await server.start()
      await perform('purge', { entry: 'demo' })
      expect((await perform('trash')).list).toEqual([])
    }, 60_000)
  })
