import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type RunningApp } from '../../tests/programs/app-server.js'

const example = fileURLToPath(new URL('.', import.meta.url))
let folder: string
let app: RunningApp

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'steward-migrations-'))
  const database = new Database(join(folder, 'people.db'))
  database.exec(`
    create table person (row_id integer primary key autoincrement, per_name varchar(160));
    insert into person (per_name) values ('Ada King Lovelace'), ('Plato');
  `)
  database.close()
  app = await startApp([example, '--data', folder])
})
afterAll(async () => {
  await app?.stop()
  await rm(folder, { recursive: true })
})

test('the first start of the second version splits the names, and the next one does not', async () => {
  const { body } = await app.call('/Person/?_order=row_id')
  expect(body).toMatchObject([
    { per_first: 'Ada King', per_last: 'Lovelace' },
    { per_first: '', per_last: 'Plato' },
  ])
  expect(app.errors()).toContain('migration 20260301090000_split_names.ts')
  await app.call('/Person/2', { method: 'PUT', body: { per_first: 'Aristocles' } })
  await app.stop()
  app = await startApp([example, '--data', folder])
  expect(app.errors()).not.toContain('migration 2026')
  const database = new Database(join(folder, 'people.db'), { readonly: true })
  expect(database.prepare('select per_first from person where row_id = 2').pluck().get()).toBe('Aristocles')
  database.close()
})
