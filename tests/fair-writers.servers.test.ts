import crypto from 'node:crypto'
import { once } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import { createStore } from '@steward/db-adapters'
import { createBusinessObjects, createModel, systemPrincipal, defineObject } from '@steward/rest-core'
import type { ObjectStore } from '@steward/rest-core'
import { systemObjects } from '@steward/rest-core/system'
import { restRouter } from '@steward/rest-koa'
import Koa from 'koa'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createCaller, type CallService } from '../packages/rest-koa/src/lib/testing/caller.js'
import { serve, type TestServer } from '../packages/rest-koa/src/lib/testing/serve.js'
import { freshFile, patient } from './databases.js'
import type { FreshDatabase } from './servers/index.js'

const Member = defineObject({
  name: 'Member',
  fields: {
    mem_login: { type: 'string', key: true },
    mem_password: { type: 'password' },
  },
})

const { scrypt } = crypto

/** Hashes of passwords wait until the test lets them be made. */
let gate: { hashes: number; reached: PromiseWithResolvers<void>; opened: PromiseWithResolvers<void> }

function replaceScrypt(replacement: typeof scrypt): void {
  crypto.scrypt = replacement
  syncBuiltinESMExports()
}

async function hashWhenOpened(length: number, done: (error: Error | null, hash: Buffer) => void): Promise<void> {
  await gate.opened.promise
  done(null, Buffer.alloc(length))
}

let database: FreshDatabase
let store: ObjectStore
let server: TestServer
let call: CallService

async function start(options: { batchMs?: number } = {}): Promise<void> {
  database = await freshFile()
  store = await createStore(patient(database.url))
  const model = createModel([Member, ...systemObjects])
  await store.sync(model)
  const service = createBusinessObjects({ model, store, ...options })
  const app = new Koa()
  app.silent = true
  app.use(restRouter(service, { authenticate: () => systemPrincipal({ login: 'ann' }) }).routes())
  server = await serve(app)
  call = createCaller(`${server.url}/api/rest`, null)
}

beforeEach(() => {
  gate = { hashes: 0, reached: Promise.withResolvers(), opened: Promise.withResolvers() }
  replaceScrypt(((...args: Parameters<typeof scrypt>) => {
    gate.hashes++
    gate.reached.resolve()
    void hashWhenOpened(args[2], args.at(-1) as (error: Error | null, hash: Buffer) => void)
  }) as typeof scrypt)
})

afterEach(async () => {
  replaceScrypt(scrypt)
  await server.close()
  await store.close()
  await database.drop()
})

const values = (number: number) => ({ mem_login: `m${number}`, mem_password: `secret-${number}` })
const creations = (count: number, first = 1) =>
  Array.from({ length: count }, (_, at) => ({ action: 'create', values: values(first + at) }))

describe('on SQLite', () => {
  it.each<[string, () => ReturnType<CallService>]>([
    ['a batch', () => call('POST', '/Member/_batch', { json: creations(3) })],
    ['a batch by key', () => call('POST', '/Member/_batch', { json: [{ action: 'upsert', values: values(1) }] })],
    ['a dry run of a batch', () => call('POST', '/Member/_batch?_dryrun=true', { json: creations(3) })],
    [
      'a batch that is carried out once',
      () => call('POST', '/Member/_batch', { json: creations(3), headers: { 'Idempotency-Key': 'one' } }),
    ],
    [
      'a creation that is carried out once',
      () => call('POST', '/Member', { json: values(1), headers: { 'Idempotency-Key': 'one' } }),
    ],
    [
      'an upsert that is carried out once',
      () => call('PUT', '/Member/_key/m1', { json: { mem_password: 'secret' }, headers: { 'Idempotency-Key': 'one' } }),
    ],
    ['a dry run', () => call('POST', '/Member?_dryrun=true', { json: values(1) })],
  ])('%s hashes its passwords before it keeps others from writing', async (_name, write) => {
    await start()
    const writing = write()
    await gate.reached.promise
    expect((await call('POST', '/Member', { json: { mem_login: 'other' } })).status).toBe(200)
    gate.opened.resolve()
    const { status, text } = await writing
    expect([status, text]).toEqual([200, expect.anything()])
  })

  // On its own, the item that was being written is kept.
  it.each([
    ['', 0],
    ['?_dryrun=true', 0],
    ['?_atomic=false', 1],
  ])('a batch%s ends when its client is gone, and others write', async (query, kept) => {
    await start()
    const abort = new AbortController()
    const closed = new Promise<void>((resolve) => {
      server.server.once('request', (_request, response) => void once(response, 'close').then(() => resolve()))
    })
    const writing = fetch(`${server.url}/api/rest/Member/_batch${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(creations(5)),
      signal: abort.signal,
    }).catch(() => 'gone')
    await gate.reached.promise
    abort.abort()
    expect(await writing).toBe('gone')
    await closed
    gate.opened.resolve()
    expect((await call('POST', '/Member', { json: values(9) })).status).toBe(200)
    expect(gate.hashes).toBe(2)
    expect((await call('GET', '/Member?_count=true')).json.count).toBe(kept + 1)
  })

  it('a batch that keeps others from writing for too long gets 413, and nothing of it is kept', async () => {
    await start({ batchMs: 1 })
    const items = Array.from({ length: 2_000 }, (_, at) => ({ action: 'create', values: { mem_login: `m${at}` } }))
    const { status, json } = await call('POST', '/Member/_batch', { json: items })
    expect([status, json.error]).toEqual([
      413,
      expect.stringMatching(
        /^The batch takes longer than 0.001 seconds.* of 2000 items were done.* Send it in parts\.$/,
      ),
    ])
    expect((await call('GET', '/Member?_count=true')).json.count).toBe(0)
    expect((await call('POST', '/Member/_batch?_atomic=false', { json: items.slice(0, 100) })).status).toBe(200)
  })

  it('a dry run takes 1,000 items', async () => {
    await start()
    const items = Array.from({ length: 1_001 }, () => ({ action: 'create', values: { mem_login: 'm' } }))
    for (const query of ['?_dryrun=true', '?_dryrun=true&_atomic=false']) {
      const { status, json } = await call('POST', `/Member/_batch${query}`, { json: items })
      expect([status, json.error]).toEqual([413, 'The batch has 1001 items, 1000 is the limit of a dry run.'])
    }
  })
})
