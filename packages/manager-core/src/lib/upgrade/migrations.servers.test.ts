import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { needs } from '../../../../../tests/servers/index.js'
import { failureOf } from '../system/failure.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { databaseConfig } from '../testing/database-config.js'
import { authorizationOf, realApplication } from '../testing/real-manager.js'
import type { RehearsalReport } from './rehearsal-report.js'

describe('sqlite', () => testMigrations('sqlite', []))
for (const type of ['postgresql', 'mysql'] as const) needs(type, (url) => testMigrations(type, databaseConfig(url)))

const split = `export async function up(knex) {
  for (const { row_id, nte_text } of await knex('note').select('row_id', 'nte_text'))
    await knex('note').where({ row_id }).update({ nte_first: nte_text.split(' ')[0] })
}
`

/** With the real application server. */
function testMigrations(database: string, config: readonly string[]): void {
  let manager: TestManager

  beforeAll(async () => {
    const { applicationServer } = realApplication
    manager = await createTestManager({
      applicationServer,
      config: ['export APPS_HEALTHWINDOW=0', ...config],
      refresh: false,
    })
    await publish('1.0.0', 'nte_text: { type: string, length: 80, key: true }', {})
    await manager.perform('add', { name: 'demo', database })
    await call('POST', { nte_text: 'first note' })
  })
  afterAll(() => manager?.close())

  async function publish(version: string, fields: string, migrations: Readonly<Record<string, string>>) {
    for (const folder of ['objects', 'migrations'])
      rmSync(join(manager.template, folder), { recursive: true, force: true })
    const write = (path: string, text: string): void => {
      mkdirSync(dirname(join(manager.template, path)), { recursive: true })
      writeFileSync(join(manager.template, path), text)
    }
    write('app.yaml', `name: notes\nversion: ${version}\n`)
    write('objects/note.yaml', `name: Note\nfields:\n  ${fields}\n`)
    for (const [name, text] of Object.entries(migrations)) write(`migrations/${name}`, text)
    return manager.perform('refresh')
  }
  const call = async (method: string, body?: object, path = ''): Promise<unknown> => {
    const answer = await fetch(`http://127.0.0.1:${manager.instance('demo').port}/api/rest/Note${path}`, {
      method,
      headers: { Authorization: await authorizationOf(manager, 'demo'), 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    expect(answer.status).toBe(200)
    return answer.json()
  }

  test('an upgrade lists and runs migrations, is undone when one fails, and a restored database knows what was run', async () => {
    const fields = 'nte_text: { type: string, length: 80, key: true }\n  nte_first: { type: string }'
    const failing = {
      '1_split.mjs': split,
      '2_fail.mjs': `export async function up(knex) {
  await knex('note').update({ nte_first: 'wrong' })
  await knex('no_such_table').insert({ a: 1 })
}
`,
    }
    const warned = await publish('1.1.0', fields, { '1_split.mjs': 'export const up = 1\n' })
    expect(warned.warnings?.join()).toContain('migrations/1_split.mjs: it exports no function "up"')

    await publish('1.1.0', fields, failing)
    const { plan } = await manager.perform('upgrade', { name: 'demo' }, { dryRun: true })
    expect(plan?.notes).toEqual(
      expect.arrayContaining(['Database: run migration 1_split.mjs.', 'Database: run migration 2_fail.mjs.']),
    )
    for (const rehearse of [true, false]) {
      const failed: unknown = await manager
        .perform('upgrade', { name: 'demo', rehearse })
        .catch((error: unknown) => error)
      expect(failureOf(failed).output).toMatch(/Cannot run migration "2_fail\.mjs": .*no_such_table/s)
    }
    const [restored] = (await call('GET')) as Record<string, unknown>[]
    expect(restored).toMatchObject({ nte_text: 'first note' })
    expect(restored).not.toHaveProperty('nte_first')

    await publish('1.1.0', fields, { '1_split.mjs': split })
    const rehearsed = await manager.perform('upgrade', { name: 'demo', rehearse: true })
    const report = rehearsed.item as unknown as RehearsalReport
    expect(report.changes).toContain('run migration 1_split.mjs')
    expect(report.rows).toEqual([])
    await manager.perform('upgrade', { name: 'demo' })
    expect(await call('GET')).toMatchObject([{ nte_first: 'first' }])

    const { plan: back } = await manager.perform('rollback', { name: 'demo' }, { dryRun: true })
    expect(back?.notes.join()).not.toContain('knex_migrations')

    // Run a second time, the migration would write over this.
    await call('PUT', { nte_first: 'changed' }, '/1')
    await manager.perform('save', { name: 'demo' })
    await manager.perform('restore', { name: 'demo', from: 'latest' })
    expect(await call('GET')).toMatchObject([{ nte_first: 'changed' }])
  }, 240_000)
}
