/** @module-tag mixed */
import { cpSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { execute, needs } from '../../../../../tests/servers/index.js'
import { createManager } from '../manager.js'
import { createHomePlaceRow } from '../store/home-place-rows.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { databaseConfig } from '../testing/database-config.js'
import { fakeApplicationServer } from '../testing/fake-application.js'

needs('postgresql', (postgresql) =>
  needs('mysql', (mysql) => {
    let test: TestManager
    beforeAll(async () => {
      test = await createTestManager({ config: databaseConfig(postgresql, mysql) })
    })
    afterAll(() => test.close())

    /** A copy of the home whose registry says that it belongs to the copy: commands are not refused there. */
    function forgedCopy(name: string) {
      const home = join(test.folder, name)
      cpSync(test.home, home, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
      const { context, ...manager } = createManager({
        home,
        applicationServer: fakeApplicationServer,
        defaultTemplate: test.template,
      })
      const row = createHomePlaceRow(context.registry)
      const recorded = row.get()
      if (!recorded) throw new Error('The first command records where the home is.')
      row.set({ ...recorded, path: home, inode: String(statSync(home, { bigint: true }).ino) })
      const perform = (action: string, input = {}) => manager.perform(action, input, test.caller)
      return { home, manager, perform, context }
    }

    const serverOf = (name: string) => test.context.databases.server(test.instance(name).database)
    const databaseOf = async (name: string, { context, path } = test) =>
      context.databases.account(path(name), await context.settings.instance(path(name)))
    const run = async (name: string, sql: string) => execute(serverOf(name).url(await databaseOf(name)), sql)
    const rowsOf = async (name: string) => (await serverOf(name).statistics(await databaseOf(name))).rows

    describe.each(['postgresql', 'mysql'] as const)('on %s', (database) => {
      const tags = database === 'postgresql' ? ['core' as const] : []

      it('a copied home whose place was forged does not drop the database of the original', { tags }, async () => {
        const name = `kept${database}`
        await test.perform('add', { name, database, 'no-start': true })
        await run(name, 'create table kept (n integer)')
        await run(name, 'insert into kept values (7)')
        await test.perform('save', { name })
        const copy = forgedCopy(`copy-${database}`)
        const marked = `is marked "Steward ${test.home} `
        const refused = {
          code: 'ERR_STATE',
          command: 'doctor --adopt',
          message: expect.stringContaining(marked) as string,
        }
        try {
          await expect(copy.perform('restore', { name, only: 'data', discard: true })).rejects.toMatchObject(refused)
          expect((await copy.perform('doctor', { category: 'databases' })).list).toContainEqual(
            expect.objectContaining({ check: 'database-marks', level: 'error' }),
          )
          expect((await copy.perform('doctor', { adopt: true })).warnings).toEqual([
            expect.stringContaining(`belongs to the manager's home ${test.home}, which is still there`),
          ])
          const { warnings } = await copy.perform('delete', { name, purge: true })
          expect(warnings).toEqual([expect.stringContaining(marked)])
          const [left] = (await copy.perform('trash')).list as readonly { readonly entry: string }[]
          await expect(copy.perform('purge', { entry: left?.entry })).rejects.toMatchObject(refused)
          // Also without a look before: by the step that drops it.
          const account = { ...(await databaseOf(name)), password: '' }
          await expect(copy.context.databases.server(database).drop(account)).rejects.toMatchObject(refused)
          expect(await rowsOf(name)).toEqual({ kept: 1 })
        } finally {
          copy.manager.close()
        }
        await test.perform('delete', { name, purge: true })
      })
    })

    it('a home that was moved has its databases again after doctor --adopt, and the former one has not', async () => {
      await test.perform('add', { name: 'moved', database: 'postgresql', 'no-start': true })
      const account = await databaseOf('moved')
      const former = test.context.databases.server('postgresql')
      const copy = forgedCopy('moved')
      const config = join(test.home, 'config.sh')
      try {
        await expect(copy.context.databases.server('postgresql').drop(account)).rejects.toMatchObject({
          command: 'doctor --adopt',
        })
        // As after a move: no home is there.
        renameSync(config, `${config}-aside`)
        expect(await copy.perform('doctor', { adopt: true })).toMatchObject({
          message: expect.stringContaining('1 database marked'),
          warnings: [],
        })
        renameSync(`${config}-aside`, config)
        await expect(former.drop(account)).rejects.toMatchObject({ code: 'ERR_STATE' })
        await expect(former.create(account)).rejects.toMatchObject({ code: 'ERR_STATE' })
        await copy.perform('delete', { name: 'moved', purge: true })
        expect(await former.exists(account)).toBe('no')
      } finally {
        copy.manager.close()
      }
      await test.perform('delete', { name: 'moved', purge: true })
    })

    it('a database of an older version is taken, and marked by doctor --fix', async () => {
      await test.perform('add', { name: 'older', database: 'postgresql', 'no-start': true })
      const { name, user } = await databaseOf('older')
      await execute(postgresql, `comment on database ${name} is null`)
      await execute(postgresql, `comment on role ${user} is null`)
      const found = async (input = {}) =>
        (await test.perform('doctor', { category: 'databases', ...input })).list?.filter(
          (each) => (each as { readonly check: string }).check === 'database-marks',
        )
      expect(await found()).toEqual([expect.objectContaining({ level: 'warning' })])
      expect(await found({ fix: true })).toEqual([expect.objectContaining({ level: 'fixed' })])
      expect(await found()).toEqual([expect.objectContaining({ level: 'ok' })])
      await test.perform('delete', { name: 'older', purge: true })
    })
  }),
)
