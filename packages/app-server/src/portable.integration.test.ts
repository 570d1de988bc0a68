import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import { freshDatabase, needs } from '../../../tests/servers/index.js'
import { createStore } from '@steward/db-adapters'
import { createPrincipal, dumpRecords, loadRecords } from '@steward/rest-core'
import { loadAppDefinition } from './lib/app-definition.js'
import { createApplication } from './lib/create-application.js'
import type { Application } from './lib/create-application.js'
import { readSettings } from './lib/settings.js'
import { makeFolder, runCli, shopFiles } from './running-app-for-test.js'

const cleanUps: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp()
})

const catalog = fileURLToPath(new URL('../../../examples/catalog', import.meta.url))

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'steward-portable-'))
  cleanUps.push(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** The example with its own data. */
async function openCatalog(dataFolder: string, url: string): Promise<Application> {
  const settings = readSettings({ STEWARD_DATABASE: url, STEWARD_ADMIN_PASSWORD: 's3cret' })
  const definition = await loadAppDefinition(catalog, settings)
  return createApplication({ folder: catalog, dataFolder, definition, settings, logger: pino({ level: 'silent' }) })
}

test('records go by files that their owner alone can read', { timeout: 120_000 }, async () => {
  const { folder, remove } = await makeFolder(shopFiles)
  cleanUps.push(remove)
  const [dump, again] = [join(folder, 'all.ndjson'), join(folder, 'again.ndjson')]
  const other = { env: { STEWARD_DATABASE: `sqlite:${join(folder, 'other.db')}` } }
  // There is no table yet.
  const tooEarly = await runCli([folder, '--dump', dump])
  expect(tooEarly).toMatchObject({ code: 1, errors: expect.stringContaining('start the application once') })

  expect(await runCli([folder, '--export', 'Product'])).toMatchObject({ code: 0 })
  const dumped = await runCli([folder, '--dump', dump])
  expect(dumped).toMatchObject({ code: 0, output: '', errors: expect.stringMatching(/\d+ records dumped/) })
  expect((await stat(dump)).mode & 0o777).toBe(0o600)

  const text = await readFile(dump, 'utf8')
  await writeFile(again, text.slice(0, text.length / 2))
  expect(await runCli([folder, '--load', again], other)).toMatchObject({
    code: 1,
    errors: expect.stringContaining('The dump cannot be loaded, line'),
  })
  expect(await runCli([folder, '--load', dump], other)).toMatchObject({ code: 0 })
  expect(await runCli([folder, '--load', dump], other)).toMatchObject({
    code: 1,
    errors: expect.stringContaining('is not empty'),
  })
  const { output } = await runCli([folder, '--dump', '-'], other)
  expect(output.replace(/^.*\n/, '')).toBe(text.replace(/^.*\n/, ''))

  const noFolder = await runCli(['--dump', '-'], { ...other, cwd: folder })
  expect(noFolder).toMatchObject({ code: 1, errors: expect.stringContaining('folder of an application') })
})

needs('postgresql', (postgresqlUrl) =>
  needs('mysql', (mysqlUrl) => {
    test(
      'records go from SQLite to PostgreSQL, MariaDB and back, and the application goes on',
      { timeout: 120_000 },
      async () => {
        const folder = await temporaryFolder()
        const postgresql = await freshDatabase(postgresqlUrl)
        const mysql = await freshDatabase(mysqlUrl)
        cleanUps.push(
          () => postgresql.drop(),
          () => mysql.drop(),
        )
        const [first, last] = ['first', 'last'].map((name) => `sqlite:${join(folder, name)}.db`) as [string, string]
        const application = await openCatalog(join(folder, 'data'), first)
        const { model } = application.service
        await application.close()

        const dumps: string[] = []
        for (const url of [first, postgresql.url, mysql.url, last]) {
          const store = await createStore(url)
          try {
            if (dumps.length > 0) {
              await store.sync(model)
              await loadRecords({ model, store }, bytes(dumps.at(-1) as string))
            }
            let text = ''
            const options = { model, store, application: { name: 'catalog', version: '1' }, clock: () => new Date(0) }
            const counts = await dumpRecords(options, async (more) => void (text += more))
            expect(counts['Movie']).toBeGreaterThan(10)
            expect(counts['User']).toBe(1)
            dumps.push(text)
          } finally {
            await store.close()
          }
        }
        expect(new Set(dumps).size).toBe(1)

        for (const url of [postgresql.url, mysql.url, last]) {
          const { service, newAdministrator, close } = await openCatalog(join(folder, 'data'), url)
          expect(newAdministrator).toBeUndefined()
          const me = createPrincipal({ login: 'me' })
          await service.create(me, 'Genre', { gen_name: 'Quite new' })
          await close()
        }
      },
    )
  }),
)

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
