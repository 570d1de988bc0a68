import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApp, type RunningApp } from '../programs/app-server.js'
import { makeFolder } from '../servers/folders.js'
import { execute, needsOwn, type TestServer } from '../servers/index.js'
import { createClient, type Client } from './client.js'
import { createFaults, type Fault } from './faults.js'
import { createRandom } from './random.js'
import { verify } from './verify.js'
import { createWorkload, prepare, type Operation, type Promised } from './workload.js'

const application = fileURLToPath(new URL('./application', import.meta.url))
const password = 'a password of tests'

/** Small in `npm test`; `npm run test:deep` looks much longer. */
const isDeep = process.env['TEST_DEEP'] === '1'
const sizes = isDeep ? { quiet: 1000, rough: 6000, kills: 20 } : { quiet: 70, rough: 130, kills: 2 }
const workers = 8

interface Database {
  readonly url: string
  /** Ends the server as a crash does, and starts it again; absent: there is none. */
  readonly crash?: () => Promise<void>
}

function testConsistency(open: () => Promise<Database & { close(): Promise<void> }>): void {
  const random = createRandom()
  let database: Awaited<ReturnType<typeof open>>
  let folder: string
  let app: RunningApp
  let client: Client
  let promised: Promised
  let operations: readonly Operation[]

  const start = () =>
    startApp([application, '--data', folder], {
      password,
      env: { STEWARD_DATABASE: database.url, STEWARD_LOG_LEVEL: 'silent' },
    })

  beforeAll(async () => {
    folder = await makeFolder('consistency')
    database = await open()
    app = await start()
    client = createClient(() => app.origin, password)
    promised = await prepare(client)
    operations = Object.values(createWorkload(client, promised, random))
  })

  afterAll(async () => {
    await app?.stop()
    await database?.close()
    if (folder) await rm(folder, { recursive: true, force: true })
  })

  /** Carries out that many operations, several at once. */
  async function run(count: number, tick: () => void = () => {}): Promise<void> {
    let left = count
    const work = async () => {
      while (left-- > 0) {
        tick()
        await operations[random.below(operations.length)]?.()
      }
    }
    await Promise.all(Array.from({ length: workers }, work))
  }

  it(
    `all add up, and no one is refused, when many work at the same time (TEST_SEED=${random.seed})`,
    { timeout: 1_200_000 },
    async () => {
      await run(sizes.quiet)
      expect(client.refused).toBe(0)
      await verify(client, promised)
    },
  )

  it(
    `all add up when server and database are killed meanwhile (TEST_SEED=${random.seed})`,
    { timeout: 3_600_000 },
    async () => {
      const { crash } = database
      const harms = [killServer, ...(crash ? [crash] : [])]
      const faults: Fault[] = Array.from({ length: sizes.kills }, (_, n) => ({
        at: Math.round(((n + 0.5) * sizes.rough) / sizes.kills),
        harm: harms[n % harms.length] as () => Promise<void>,
      }))
      const { tick, ended } = createFaults(faults)
      await run(sizes.rough, tick)
      await ended()
      await verify(client, promised)
    },
  )

  async function killServer(): Promise<void> {
    await app.stop('SIGKILL')
    app = await start()
  }
}

describe('sqlite', () => {
  testConsistency(async () => {
    const folder = await makeFolder('sqlite')
    return {
      url: `sqlite:${join(folder, 'test.db')}`,
      close: () => rm(folder, { recursive: true, force: true }),
    }
  })
})

for (const name of ['postgresql', 'mysql'] as const) {
  needsOwn(name, (startServer) => {
    testConsistency(async () => {
      const server = await startServer()
      await makeDurable(server)
      return {
        url: server.url,
        async crash() {
          await server.stop('SIGKILL')
          await server.start()
          await makeDurable(server)
        },
        close: () => server.close(),
      }
    })
  })
}

/** Test servers forget the last moments before a crash, to be fast; these must not. MariaDB forgets it when it stops. */
function makeDurable({ url }: TestServer): Promise<void> {
  const isPostgresql = url.startsWith('postgres')
  return execute(
    url,
    isPostgresql ? 'alter database test set synchronous_commit = on' : 'set global innodb_flush_log_at_trx_commit = 2',
  )
}
