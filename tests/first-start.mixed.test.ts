/** @module-tag mixed */
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createStore } from '@steward/db-adapters'
import { createBusinessObjects, createModel, systemPrincipal, defineObject } from '@steward/rest-core'
import type { BusinessObjects, ObjectStore } from '@steward/rest-core'
import { createAdministrator, systemObjects } from '@steward/rest-core/system'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { runSetup } from '../packages/app-server/src/lib/setup.js'
import { onEachDatabase } from './databases.js'
import { makeFolder } from './servers/folders.js'
import type { FreshDatabase } from './servers/index.js'

const Item = defineObject({ name: 'Item', fields: { itm_code: { type: 'string', key: true } } })
const ann = systemPrincipal({ login: 'ann' })

/** What the set-up module of the tests calls, once it has written its record. */
const shared = globalThis as { filling?: (() => Promise<void>) | undefined }

const setupModule = `export default async function setup({ service, principal }) {
  await service.create(principal, 'Item', { itm_code: 'first' })
  await globalThis.filling()
}
`

onEachDatabase((fresh, name) => {
  // The others wait for locks in the same way.
  const tags = name === 'postgresql' ? ['core' as const] : []
  let folder: string
  let database: FreshDatabase
  let stores: ObjectStore[]
  let servers: BusinessObjects[]

  beforeAll(async () => {
    folder = await makeFolder('setup')
    await writeFile(join(folder, 'setup.mjs'), setupModule)
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  beforeEach(async () => {
    database = await fresh()
    const model = createModel([...systemObjects, Item])
    // One store for all where a second one of the same process would stop it while it waits.
    const url = { url: database.url, lockTimeoutMs: 300 }
    stores = []
    for (let n = 0; n < (name === 'sqlite' ? 1 : 3); n++)
      stores.push(await createStore(name === 'sqlite' ? database.url : url))
    await stores[0]?.sync(model)
    servers = Array.from({ length: 3 }, (_, n) =>
      createBusinessObjects({ model, store: stores[n % stores.length] as ObjectStore }),
    )
  })
  afterEach(async () => {
    for (const store of stores) await store.close()
    await database.drop()
  })

  const fill = () => Promise.allSettled(servers.map((service) => runSetup(service, folder, 'setup.mjs')))
  const count = async () => (await (servers[0] as BusinessObjects).count(ann, 'Item')).count

  it(
    'runSetup() of servers that start at the same time fills the application once, and all of them come up',
    { tags },
    async () => {
      let calls = 0
      shared.filling = async () => {
        calls++
        // Longer than the others wait for a lock.
        await new Promise((resolve) => setTimeout(resolve, 700))
      }
      const outcomes = (await fill()).map((outcome) =>
        outcome.status === 'fulfilled' ? outcome.value : outcome.reason,
      )
      expect(outcomes.toSorted()).toEqual([false, false, true])
      expect([calls, await count()]).toEqual([1, 1])
      expect((await fill()).map((outcome) => outcome.status === 'fulfilled' && outcome.value)).toEqual([
        false,
        false,
        false,
      ])
      expect(calls).toBe(1)
    },
  )

  it('runSetup() is taken over by another server when the first one fails in the middle', { tags }, async () => {
    let calls = 0
    shared.filling = async () => {
      calls++
      if (calls === 1) throw new Error('killed')
    }
    const outcomes = (await fill()).map((outcome) =>
      outcome.status === 'fulfilled' ? String(outcome.value) : (outcome.reason as Error).message,
    )
    expect(outcomes.toSorted()).toEqual(['false', 'killed', 'true'])
    expect([calls, await count()]).toEqual([2, 1])
  })

  it('createAdministrator() of servers that start at the same time makes one', { tags }, async () => {
    const made = await Promise.all(servers.map((service) => createAdministrator(service)))
    expect(made.map((each) => each?.login).toSorted()).toEqual(['admin', undefined, undefined])
    expect((await (servers[0] as BusinessObjects).count(ann, 'User')).count).toBe(1)
    expect((await (servers[0] as BusinessObjects).count(ann, 'Responsibility')).count).toBe(1)
  })
})
