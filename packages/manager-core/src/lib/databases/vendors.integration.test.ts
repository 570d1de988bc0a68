import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { needs } from '../../../../../tests/servers/index.js'
import type { DatabaseType } from '../domain/instance.js'
import type { TestManager } from '../testing/create-test-manager.js'
import { addCompany, createRealManager } from '../testing/real-manager.js'

const rules = fileURLToPath(new URL('../../../../../examples/anonymise/rules.yaml', import.meta.url))

const others = ['TEST_POSTGRESQL_URL', 'TEST_MYSQL_URL'].flatMap((name) => process.env[name] ?? [])
const otherTypes: readonly DatabaseType[] = [
  'sqlite',
  ...(process.env['TEST_POSTGRESQL_URL'] ? (['postgresql'] as const) : []),
  ...(process.env['TEST_MYSQL_URL'] ? (['mysql'] as const) : []),
]

for (const type of ['mssql', 'oracle'] as const)
  needs(type, (url) => {
    describe('a real application', () => {
      let manager: TestManager
      beforeAll(async () => {
        manager = await createRealManager(url, ...others)
      }, 60_000)
      afterAll(() => manager?.close())

      test('is added, saved, proved, restored, cloned and purged', async () => {
        const { perform, context, instance } = manager
        await perform('add', { name: 'demo', database: type })
        expect(instance('demo').database).toBe(type)
        await addCompany(manager, 'demo', 'First company')
        const before = await rowsOf(manager, 'demo')
        expect(before['company']).toBeGreaterThan(0)
        expect((await perform('dbinfo', { name: 'demo', rows: true })).exitCode ?? 0).toBe(0)

        await perform('save', { name: 'demo' })
        const { manifest } = await context.backups.find('demo', 'latest')
        expect(manifest.files.map(({ name }) => name)).toContain(`db.${type}.zst`)
        await perform('prove', { name: 'demo' })
        await addCompany(manager, 'demo', 'Second company')
        await perform('restore', { name: 'demo' })
        expect((await rowsOf(manager, 'demo'))['company']).toBe(before['company'])
        await addCompany(manager, 'demo', 'After the restore')

        await perform('clone', { name: 'demo', new: 'copy' })
        expect(await rowsOf(manager, 'copy')).toMatchObject({ company: (before['company'] ?? 0) + 1 })
        // The next row is numbered after those that were copied.
        await addCompany(manager, 'copy', 'Of the copy', 'demo')
        await perform('restore', { name: 'demo', as: 'other' })
        expect((await rowsOf(manager, 'other'))['company']).toBe(before['company'])
        for (const name of ['demo', 'copy', 'other']) await perform('delete', { name, purge: true })
      }, 600_000)

      test.each(otherTypes)(
        'moves to %s and back',
        async (other) => {
          const { perform } = manager
          const demo = `${other}Demo`
          const there = `${other}There`
          const back = `${other}Back`
          await perform('add', { name: demo, database: type })
          await addCompany(manager, demo, 'Ärger & Söhne')
          const { company } = await rowsOf(manager, demo)
          await perform('clone', { name: demo, new: there, database: other, 'no-start': true })
          expect((await rowsOf(manager, there))['company']).toBe(company)
          await perform('clone', { name: there, new: back, database: type })
          await perform('start', { name: back })
          await addCompany(manager, back, 'Back again', demo)
          expect((await rowsOf(manager, back))['company']).toBe((company ?? 0) + 1)
          for (const name of [demo, there, back]) await perform('delete', { name, purge: true })
        },
        600_000,
      )

      test('is cloned without personal data', async () => {
        const { perform } = manager
        await perform('add', { name: 'whole', database: type })
        await addCompany(manager, 'whole', 'Somebody Ltd')
        await perform('clone', { name: 'whole', new: 'plain', anonymise: rules, 'no-start': true })
        expect((await rowsOf(manager, 'plain'))['company']).toBe((await rowsOf(manager, 'whole'))['company'])
        for (const name of ['whole', 'plain']) await perform('delete', { name, purge: true })
      }, 600_000)
    })
  })

async function rowsOf({ context, path, instance }: TestManager, name: string) {
  const account = context.databases.account(path(name), await context.settings.instance(path(name)))
  return (await context.databases.server(instance(name).database).statistics(account)).rows
}
