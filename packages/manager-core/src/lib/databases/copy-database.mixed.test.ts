/** @module-tag mixed */
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createDatabaseServer } from '@steward/db-adapters/server'
import { execa } from 'execa'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { needs } from '../../../../../tests/servers/index.js'
import { homeAt } from '../domain/home.js'
import type { DatabaseType } from '../domain/instance.js'
import { randomId } from '../domain/names.js'
import { Secret } from '../domain/secret.js'
import type { InstanceSettings } from '../settings/settings.js'
import { copyDatabase } from './copy-database.js'
import type { Databases } from './databases.js'
import { dumpDatabase, restoreDatabase } from './dump-database.js'
import type { DatabaseContext, InstanceDatabase } from './instance-database.js'
import { translated } from './translated-server.js'

const applicationServer = fileURLToPath(new URL('../../../../app-server/dist/cli.js', import.meta.url))
const application = {
  'app.yaml': 'name: shop\nversion: 1.0.0\n',
  'objects/product.yaml': 'name: Product\nfields:\n  prd_code: { type: string, length: 20, key: true }\n',
}

const cleanUps: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp()
})

/** Servers without and with the vendor's programs. */
function contextOf(urls: Partial<Record<DatabaseType, string>>, path?: string): DatabaseContext {
  const server: Databases['server'] = (type) => {
    if (type === 'sqlite') return translated(createDatabaseServer({ type }))
    const { hostname: host, port, username: user, password } = new URL(urls[type] as string)
    const options = { host, port: Number(port), user, password, ...(path !== undefined && { path }) }
    return translated(createDatabaseServer({ type: type as 'mysql' | 'postgresql', ...options }))
  }
  return {
    applicationServer,
    home: homeAt('/nowhere'),
    databases: {
      server,
      account: (folder, { database, databaseName, databaseUser, databasePassword }) => ({
        name: database === 'sqlite' ? join(folder, databaseName) : databaseName,
        user: databaseUser,
        password: databasePassword.reveal(),
      }),
      names: (_type, id) => ({ name: id, user: id }),
    },
  }
}

/** A home with the application and a database of this type that is there and empty. */
async function home(context: DatabaseContext, database: DatabaseType): Promise<InstanceDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'steward-databases-'))
  cleanUps.push(() => rm(folder, { recursive: true, force: true }))
  await mkdir(join(folder, 'app', 'objects'), { recursive: true })
  await mkdir(join(folder, 'data'))

  for (const [name, text] of Object.entries(application)) await writeFile(join(folder, 'app', name), text)
  const name = `steward_${randomId()}`
  const settings = {
    database,
    databaseName: database === 'sqlite' ? 'data/database.db' : name,
    databaseUser: database === 'sqlite' ? '' : name,
    databasePassword: new Secret(database === 'sqlite' ? '' : 'pass-word/1'),
    others: {},
  } as unknown as InstanceSettings
  const server = context.databases.server(database)
  await server.create(context.databases.account(folder, settings))
  cleanUps.push(() => server.drop(context.databases.account(folder, settings)))
  return { folder, settings }
}

/** Runs the application once, which fills its database. */
async function fill(context: DatabaseContext, { folder, settings }: InstanceDatabase): Promise<void> {
  const url = context.databases.server(settings.database).url(context.databases.account(folder, settings))
  const task = [join(folder, 'app'), '--data', join(folder, 'data'), '--export', 'Product']
  await execa(process.execPath, [applicationServer, ...task], { env: { STEWARD_DATABASE: url } })
}

async function rowsOf(context: DatabaseContext, { folder, settings }: InstanceDatabase) {
  const { rows } = await context.databases
    .server(settings.database)
    .statistics(context.databases.account(folder, settings))
  // Tables of the store itself may be empty, e.g. its own book-keeping.
  return Object.fromEntries(Object.entries(rows).filter(([, count]) => count > 0))
}

/** On SQLite, with the rows of a first start. */
let filled: InstanceDatabase
beforeAll(async () => {
  const context = contextOf({})
  filled = await home(context, 'sqlite')
  await fill(context, filled)
  const remove = cleanUps.splice(0)
  return async () => {
    for (const cleanUp of remove) await cleanUp()
  }
})

test('an SQLite database is dumped and put in place of another one', async () => {
  const context = contextOf({})
  const to = await home(context, 'sqlite')
  for (let round = 0; round < 2; round++) {
    const dump = await dumpDatabase(context, filled)
    expect(dump.kind).toBe('sqlite')
    await restoreDatabase(context, to, dump)
    await copyDatabase(context, { from: filled, to })
    expect(await rowsOf(context, to)).toEqual(await rowsOf(context, filled))
  }
  const dump = await dumpDatabase(context, filled)
  await expect(restoreDatabase(context, to, { ...dump, kind: 'mysql' })).rejects.toMatchObject({ code: 'ERR_DATABASE' })
  dump.content.destroy()
  await dump.done.catch(() => {})
})

needs('postgresql', (postgresql) =>
  needs('mysql', (mysql) => {
    test(
      'between types, and without the programs of the vendor, what is copied is portable',
      { tags: 'core' },
      async () => {
        const bare = contextOf({ postgresql, mysql }, '')
        const rows = await rowsOf(bare, filled)
        const from = await home(bare, 'postgresql')
        // The application of one of both is enough.
        await rm(join(from.folder, 'app'), { recursive: true })
        await copyDatabase(bare, { from: filled, to: from })
        expect(await rowsOf(bare, from)).toEqual(rows)

        await cp(join(filled.folder, 'app'), join(from.folder, 'app'), { recursive: true })
        const [other, alike] = [await home(bare, 'mysql'), await home(bare, 'postgresql')]
        const dump = await dumpDatabase(bare, from)
        expect(dump.kind).toBe('portable')
        await restoreDatabase(bare, other, dump)
        await dump.done
        expect(await rowsOf(bare, other)).toEqual(rows)
        await copyDatabase(bare, { from, to: alike })
        expect(await rowsOf(bare, alike)).toEqual(rows)
      },
    )

    test('what the application server says about a failure is reported, without the password', async () => {
      const context = contextOf({ postgresql })
      const [from, to] = [await home(context, 'postgresql'), await home(context, 'sqlite')]
      const copying = copyDatabase(context, { from, to })
      await expect(copying).rejects.toMatchObject({
        code: 'ERR_DATABASE',
        message: expect.stringContaining('start the application once'),
      })
      await expect(copying).rejects.not.toMatchObject({ output: expect.stringContaining('pass-word') })
    })
  }),
)
