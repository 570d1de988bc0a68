import { expect, onTestFinished, test } from 'vitest'
import { needs } from '../../../../../tests/servers/index.js'
import type { TestManager } from '../testing/create-test-manager.js'
import { addCompany, createRealManager } from '../testing/real-manager.js'

needs('postgresql', (postgresql) =>
  needs('mysql', (mysql) => {
    test('clones and restored backups may have another type of database than their source', async () => {
      const manager = await createRealManager(postgresql, mysql)
      onTestFinished(() => manager.close())
      const { perform } = manager
      await perform('add', { name: 'demo', database: 'postgresql' })
      const blank = await companiesOf(manager, 'demo')
      await addCompany(manager, 'demo', 'First company')

      await perform('clone', { name: 'demo', new: 'file', database: 'sqlite', 'no-start': true })
      // The source continues.
      await addCompany(manager, 'demo', 'Second company')
      expect(await companiesOf(manager, 'file')).toBe(blank + 1)

      await perform('stop', { name: 'demo' })
      await perform('save', { name: 'demo' })
      await perform('restore', { name: 'demo', as: 'fromServer', database: 'sqlite' })
      expect(await companiesOf(manager, 'fromServer')).toBe(blank + 2)
      await perform('save', { name: 'file' })
      await perform('restore', { name: 'file', as: 'fromFile', database: 'mysql' })
      expect(await companiesOf(manager, 'fromFile')).toBe(blank + 1)
      await perform('start', { name: 'fromFile' })
      expect(await companiesOf(manager, 'fromFile')).toBe(blank + 1)

      for (const name of ['demo', 'file', 'fromServer', 'fromFile']) await perform('delete', { name, purge: true })
    }, 240_000)
  }),
)

async function companiesOf({ context, path, instance }: TestManager, name: string): Promise<number> {
  const account = context.databases.account(path(name), await context.settings.instance(path(name)))
  const { rows } = await context.databases.server(instance(name).database).statistics(account)
  return rows['company'] ?? 0
}
