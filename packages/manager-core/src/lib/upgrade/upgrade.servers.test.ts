import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { needs } from '../../../../../tests/servers/index.js'
import { sqlite } from '../store/sqlite.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { endsWhenItServes } from '../testing/ends-when-it-serves.js'

/** The real ones. */
const applicationServer = fileURLToPath(new URL('../../../../app-server/dist/cli.js', import.meta.url))
const defaultTemplate = fileURLToPath(new URL('../../../../../templates/default', import.meta.url))

/** An object that the old version does not have; `more` runs when the application starts. */
const extra = (more: string) =>
  `export const Extra = { name: 'Extra', fields: { ext_name: { type: 'string', key: true } } }\n${more}\n`

for (const type of ['postgresql', 'mysql'] as const) needs(type, (url) => testUpgrades(type, url))

function testUpgrades(type: 'postgresql' | 'mysql', url: string): void {
  let manager: TestManager

  beforeAll(async () => {
    const { hostname, port, username, password } = new URL(url)
    const server = `export APPS_${type.toUpperCase()}_`
    manager = await createTestManager({
      applicationServer,
      refresh: false,
      config: [
        'export APPS_HEALTHWINDOW=5',
        `export APPS_DATABASES=${type}`,
        `export APPS_DEFAULTDATABASE=${type}`,
        `${server}HOST=${hostname}`,
        `${server}PORT=${port}`,
        `${server}ADMINUSER=${decodeURIComponent(username)}`,
        `${server}ADMINPASSWORD='${decodeURIComponent(password)}'`,
      ],
    })
    rmSync(manager.template, { recursive: true })
    cpSync(defaultTemplate, manager.template, { recursive: true })
    await manager.perform('refresh')
  })
  afterAll(() => manager?.close())

  const server = () => manager.context.databases.server(type)
  const account = async () =>
    manager.context.databases.account(
      manager.path('demo'),
      await manager.context.settings.instance(manager.path('demo')),
    )
  const rows = async () => (await server().statistics(await account())).rows
  const publish = async (more: string) => {
    writeFileSync(join(manager.template, 'objects', 'extra.mjs'), extra(more))
    await manager.perform('refresh')
  }

  test('a new version that changed tables and then ended leaves the database as it was; one that works can be rolled back', async () => {
    const { perform } = manager
    await perform('add', { name: 'demo' })
    const [before, old] = [await rows(), await account()]
    if (type === 'postgresql') {
      await publish(endsWhenItServes(1000))
      await expect(perform('upgrade', { name: 'demo' })).rejects.toMatchObject({ code: 'ERR_ROLLED_BACK' })
      expect(await rows()).toEqual(before)
      expect(manager.instance('demo')).toMatchObject({ observed: 'started' })
      const restored = await account()
      if (restored.name !== old.name) expect(await server().exists(old)).toBe('no')
    }

    await publish('')
    const { item, warnings } = await perform('upgrade', { name: 'demo', rehearse: true })
    expect(item).toMatchObject({
      changes: [expect.stringMatching(/^create table extra/), 'add unique index extra (ext_name)'],
      rows: [{ table: 'extra', before: null, after: 0 }],
    })
    expect(warnings).toBeUndefined()
    expect(await rows()).toEqual(before)
    const [copy] = manager.context.registry[sqlite]
      .prepare(`select facts ->> '$.row.id' as id from operation where kind = 'rehearse'`)
      .all()
    const names = manager.context.databases.names(type, String(copy?.['id']))
    expect(await server().exists({ ...names, password: '' })).toBe('no')
    await perform('upgrade', { name: 'demo' })
    expect(await rows()).toEqual({ ...before, extra: 0 })
    const upgraded = await account()

    const { plan } = await perform('rollback', { name: 'demo' }, { dryRun: true })
    expect(plan?.notes).toContain('Extra: all 0 rows, because the table did not exist.')
    await perform('rollback', { name: 'demo' })
    expect(await rows()).toEqual(before)
    expect(manager.instance('demo')).toMatchObject({ observed: 'started' })
    expect(await server().exists(upgraded)).toBe('no')
    const rolledBack = await account()
    await perform('delete', { name: 'demo', purge: true })
    expect(await server().exists(rolledBack)).toBe('no')
  })
}
