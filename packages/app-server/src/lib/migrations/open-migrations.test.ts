import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Knex } from 'knex'
import { afterEach, describe, expect, test } from 'vitest'
import { freshDatabase, needs } from '../../../../../tests/servers/index.js'
import { openKnex } from '../../open-knex-for-test.js'
import { openMigrations, unlockMigrations, type Migrations } from './open-migrations.js'

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp()
})

function folderOf(migrations: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'steward-migrations-'))
  cleanUps.push(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'migrations'))
  for (const [name, text] of Object.entries(migrations)) writeFileSync(join(folder, 'migrations', name), text)
  return folder
}

const fill = `export async function up(knex) {
  await knex('filled').insert({ a: 1 })
  await new Promise((resolve) => setTimeout(resolve, 300))
}
`

function defineCases(place: () => Promise<string>): void {
  async function connect(url: string): Promise<Knex> {
    const knex = openKnex(url)
    cleanUps.push(() => knex.destroy())
    return knex
  }
  const open = async (folder: string, knex: Knex, patienceMs?: number): Promise<Migrations> =>
    (await openMigrations({ folder, knex, ...(patienceMs !== undefined && { patienceMs }) })) as Migrations

  test('run(), by two servers of a new database at the same time, runs each migration once', async () => {
    const url = await place()
    const folder = folderOf({ '1_fill.mjs': fill })
    const servers = await Promise.all([connect(url), connect(url)])
    await servers[0].schema.createTable('filled', (table) => void table.integer('a'))
    const opened = await Promise.all(servers.map((knex) => open(folder, knex)))
    const ran = await Promise.all(opened.map((migrations) => migrations.run('after')))
    expect(ran.flat()).toEqual(['1_fill.mjs'])
    expect(await servers[0]('filled').pluck('a')).toEqual([1])
    expect((await open(folder, servers[1])).pending).toEqual([])
  })

  test('run() does not wait for ever for a lock that a killed server left, and unlockMigrations() takes it away', async () => {
    const knex = await connect(await place())
    await (await open(folderOf({ '1.mjs': 'export const up = async () => {}' }), knex)).run('after')
    await knex('knex_migrations_lock').update({ is_locked: 1 })
    const folder = folderOf({
      '1.mjs': 'export const up = async () => {}',
      '2.mjs': 'export const up = async () => {}',
    })
    await expect((await open(folder, knex, 0)).run('after')).rejects.toThrow('app-server migrate unlock <folder>')
    await unlockMigrations(knex)
    expect(await (await open(folder, knex, 0)).run('after')).toEqual(['2.mjs'])
  })
}

describe('sqlite', () => {
  defineCases(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'steward-migrations-'))
    cleanUps.push(() => rmSync(folder, { recursive: true }))
    return `sqlite:${join(folder, 'a.db')}`
  })
})
needs('postgresql', (url) => defineCases(() => fresh(url)))
needs('mysql', (url) => defineCases(() => fresh(url)))

async function fresh(url: string): Promise<string> {
  const database = await freshDatabase(url)
  cleanUps.push(() => database.drop())
  return database.url
}

test('openMigrations() of an application without the folder is undefined', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-migrations-'))
  cleanUps.push(() => rmSync(folder, { recursive: true }))
  expect(await openMigrations({ folder, knex: undefined as never })).toBeUndefined()
})
