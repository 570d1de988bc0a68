/** @module-tag mixed */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { execute, needs } from '../../../../../tests/servers/index.js'
import { runBlock } from '../testing/backup-format.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { databaseConfig } from '../testing/database-config.js'

for (const type of ['postgresql', 'mysql'] as const)
  needs(type, (url) => {
    const tags = type === 'postgresql' ? ['core' as const] : []
    let manager: TestManager

    beforeAll(async () => {
      manager = await createTestManager({ config: databaseConfig(url) })
    })
    afterAll(() => manager?.close())

    test(`docs/backup-format.md says how to restore a dump of ${type} by hand`, { tags }, async () => {
      const { perform, context, path, folder } = manager
      const server = context.databases.server(type)
      await perform('add', { name: 'demo', database: type, 'no-start': true })
      const account = context.databases.account(path('demo'), await context.settings.instance(path('demo')))
      await execute(server.url(account), 'create table note (text varchar(20))')
      await execute(server.url(account), `insert into note values ('größe ☃'), ('first')`)
      // MySQL keeps views of tables that are gone, and they cannot be made again.
      const left =
        type === 'mysql'
          ? ['create table gone (a int)', 'create view left_over as select a from gone', 'drop table gone']
          : []
      for (const sql of left) await execute(server.url(account), sql)
      await perform('save', { name: 'demo' })
      const backup = await context.backups.find('demo', 'latest')
      const [file] = backup.manifest.files
      const warnings = left.length > 0 ? [expect.stringContaining('View "left_over" is not in the dump')] : []
      expect(backup.manifest.warnings).toStrictEqual(warnings)
      const cloned = await perform('clone', { name: 'demo', new: 'copy', 'no-start': true })
      expect(cloned.warnings ?? []).toStrictEqual(warnings)
      const program = { postgresql: 'pg_dump', mysql: 'mysqldump' }[type]
      expect(file).toMatchObject({ name: `db.${type}.zst`, exitCodes: { [program]: 0, zstd: 0 } })

      const other = { name: 'steward_by_hand', user: 'steward_by_hand', password: 'by hand' }
      await server.drop(other)
      await server.create(other)
      try {
        const { hostname, port } = new URL(url)
        await runBlock(type, {
          folder,
          environment: {
            BACKUP: backup.folder,
            DATABASE_URL: server.url(other),
            ...{ DATABASE_HOST: hostname, DATABASE_PORT: port, DATABASE_NAME: other.name, DATABASE_USER: other.user },
            MYSQL_PWD: other.password,
          },
        })
        expect((await server.statistics(other)).rows).toEqual({ note: 2 })
      } finally {
        await server.drop(other)
        await perform('delete', { name: 'demo', purge: true })
      }
    })
  })
