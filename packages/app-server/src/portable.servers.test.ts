import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import { freshDatabase, needs } from '../../../tests/servers/index.js'
import { createStore } from '@steward/db-adapters'
import { systemPrincipal, dumpRecords, loadRecords } from '@steward/rest-core'
import { loadAppDefinition } from './lib/app-definition.js'
import { createApplication } from './lib/create-application.js'
import type { Application } from './lib/create-application.js'
import { runPortable, type PortableFlags } from './lib/portable.js'
import { readSettings } from './lib/settings.js'
import { makeFolder, runCli, runHere, shopFiles } from './running-app-for-test.js'

const cleanUps: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp()
})

const template = fileURLToPath(new URL('../../../templates/default', import.meta.url))

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'steward-portable-'))
  cleanUps.push(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** The template with its own data. */
async function openTemplate(dataFolder: string, url: string): Promise<Application> {
  const settings = readSettings({ STEWARD_DATABASE: url, STEWARD_ADMIN_PASSWORD: 's3cret-passw0rd' })
  const definition = await loadAppDefinition(template, settings)
  return createApplication({ folder: template, dataFolder, definition, settings, logger: pino({ level: 'silent' }) })
}

test('records go by files that their owner alone can read', async () => {
  const { folder, remove } = await makeFolder(shopFiles)
  cleanUps.push(remove)
  const [dump, again] = [join(folder, 'all.ndjson'), join(folder, 'again.ndjson')]
  const otherFile = join(folder, 'other.db')
  const other = { env: { STEWARD_DATABASE: `sqlite:${otherFile}` } }
  const run = async (file: string, flags: PortableFlags) => {
    const settings = readSettings({ STEWARD_DATABASE: `sqlite:${file}` })
    const definition = await loadAppDefinition(folder, settings)
    return runPortable({ folder, dataFolder: join(folder, 'data'), definition, settings }, flags)
  }
  const noFolder = await runHere(['--dump', '-'], { ...other, cwd: folder })
  expect(noFolder).toMatchObject({ code: 1, errors: expect.stringContaining('folder of an application') })
  // There is no table yet.
  await expect(run(join(folder, 'new.db'), { dump })).rejects.toThrow('start the application once')

  const env = { STEWARD_ADMIN_PASSWORD: 's3cret-passw0rd' }
  expect(await runCli([folder, '--export', 'Product'], { env })).toMatchObject({ code: 0 })
  const dumped = await runCli([folder, '--dump', dump])
  expect(dumped).toMatchObject({ code: 0, output: '', errors: expect.stringMatching(/\d+ records dumped/) })
  expect((await stat(dump)).mode & 0o777).toBe(0o600)

  const text = await readFile(dump, 'utf8')
  await writeFile(again, text.slice(0, text.length / 2))
  await expect(run(otherFile, { load: again })).rejects.toThrow('The dump cannot be loaded, line')
  expect(await runCli([folder, '--load', dump], other)).toMatchObject({ code: 0 })
  await expect(run(otherFile, { load: dump })).rejects.toThrow('is not empty')
  const { output } = await runCli([folder, '--dump', '-'], other)
  expect(output.replace(/^.*\n/, '')).toBe(text.replace(/^.*\n/, ''))
})

test('--load makes what migrations make, before it fills the tables with what migrations changed', async () => {
  const { folder, remove } = await makeFolder({
    ...shopFiles,
    'migrations/1_table.mjs': `export const up = async (knex) => {
  await knex.schema.createTable('stock', (table) => table.integer('amount'))
  await knex('product').update({ prd_name: 'changed' })
}
`,
  })
  cleanUps.push(remove)
  const dump = join(folder, 'all.ndjson')
  const [one, other] = ['one', 'other'].map((name) => `sqlite:${join(folder, name)}.db`) as [string, string]
  const env = (url: string) => ({ env: { STEWARD_DATABASE: url, STEWARD_ADMIN_PASSWORD: 's3cret-passw0rd' } })
  expect(await runCli([folder, '--export', 'Product'], env(one))).toMatchObject({ code: 0 })
  await writeFile(join(folder, 'products.csv'), 'prd_code,prd_name\nA,Apple\n')
  expect(
    await runCli([folder, '--import', join(folder, 'products.csv'), '--object', 'Product'], env(one)),
  ).toMatchObject({
    code: 0,
  })
  await writeFile(join(folder, 'migrations/2_more.mjs'), 'export const up = async () => {}')
  expect((await runHere([folder, '--dump', dump], env(one))).errors).toContain('(migration 2_more.mjs)')
  await rm(join(folder, 'migrations/2_more.mjs'))
  expect(await runCli([folder, '--dump', dump], env(one))).toMatchObject({ code: 0 })
  expect(await runCli([folder, '--load', dump], env(other))).toMatchObject({ code: 0 })
  expect((await runHere(['migrate', 'up', folder], env(other))).output).toBe('The database is up to date.\n')
  const store = await createStore(other)
  cleanUps.push(() => store.close())
  expect(await store.knex('stock').select()).toEqual([])
  expect(await store.knex('product').pluck('prd_name')).toEqual(['Apple'])
})

needs('postgresql', (postgresqlUrl) =>
  needs('mysql', (mysqlUrl) => {
    test('records go from SQLite to PostgreSQL, MariaDB and back, and the application keeps working', async () => {
      const folder = await temporaryFolder()
      const postgresql = await freshDatabase(postgresqlUrl)
      const mysql = await freshDatabase(mysqlUrl)
      cleanUps.push(
        () => postgresql.drop(),
        () => mysql.drop(),
      )
      const [first, last] = ['first', 'last'].map((name) => `sqlite:${join(folder, name)}.db`) as [string, string]
      const application = await openTemplate(join(folder, 'data'), first)
      const { model } = application.service
      await application.close()
      // More than go at once.
      const many = Array.from({ length: 1100 }, (_, at) => ({ row_id: String(at + 100), con_lastname: `Name ${at}` }))

      const dumps: string[] = []
      for (const url of [first, postgresql.url, mysql.url, last]) {
        const store = await createStore(url)
        try {
          if (dumps.length > 0) {
            await store.sync(model)
            await loadRecords({ model, store }, bytes(dumps.at(-1) as string))
          } else await store.load?.(model, (insert) => insert(model.object('Contact'), many))
          let text = ''
          const options = { model, store, application: { name: 'starter', version: '1' }, clock: () => new Date(0) }
          const counts = await dumpRecords(options, async (more) => void (text += more))
          expect(counts['Contact']).toBeGreaterThan(many.length)
          expect(counts['User']).toBe(1)
          dumps.push(text)
        } finally {
          await store.close()
        }
      }
      expect(new Set(dumps).size).toBe(1)

      for (const url of [postgresql.url, mysql.url, last]) {
        const { service, newAdministrator, close } = await openTemplate(join(folder, 'data'), url)
        expect(newAdministrator).toBeUndefined()
        const me = systemPrincipal({ login: 'me' })
        await service.create(me, 'Company', { com_name: 'Quite new' })
        await close()
      }
    })
  }),
)

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
