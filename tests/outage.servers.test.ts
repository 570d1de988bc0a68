import { setTimeout as sleep } from 'node:timers/promises'
import mysql from 'mysql2/promise'
import pg from 'pg'
import { defineObject } from '@steward/rest-core'
import { StoreError } from '@steward/rest-core/errors'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answer, CallService } from '../packages/rest-koa/src/lib/testing/caller.js'
import { onEachDatabase } from './databases.js'
import { serveObjects, type ServedObjects } from './serve-objects.js'
import { needsOwn, type FreshDatabase, type TestServer } from './servers/index.js'

/** Ends the wait of the hook below. */
let release: () => void = () => {}
let held = 0

const Entry = defineObject({
  name: 'Entry',
  fields: {
    // No key and nothing unique: an entry that is written twice must show.
    ent_text: { type: 'string', required: true },
    ent_hold: { type: 'boolean' },
  },
  hooks: {
    async preUpdate({ old, values }) {
      if (values['ent_hold'] !== true) return
      await old()
      held++
      await new Promise<void>((resolve) => {
        const before = release
        release = () => {
          before()
          resolve()
        }
      })
    },
  },
})

const acquireTimeoutMs = 1_000

interface Load {
  /** Texts of entries whose creation was answered with 200. */
  readonly kept: string[]
  /** By request: how many answers of each status. */
  readonly counts: Map<string, number>
  /** Answers that no client should get. */
  readonly wrong: unknown[]
  stop(): Promise<void>
}

/** Keeps creating entries whose texts begin with `name`, getting, changing, searching and counting, until it is stopped. */
function startLoad(call: CallService, rowId: string, name: string): Load {
  const counts = new Map<string, number>()
  const stopping = new AbortController()
  let created = 0
  const load: Load = { kept: [], counts, wrong: [], stop: () => (stopping.abort(), running) }

  const requests: Readonly<Record<string, () => Promise<Answer>>> = {
    create: async () => {
      const text = `${name} ${created++}`
      const answer = await call('POST', '/Entry', { json: { ent_text: text } })
      if (answer.status === 200) load.kept.push(text)
      return answer
    },
    get: () => call('GET', `/Entry/${rowId}`),
    update: () => call('PUT', `/Entry/${rowId}`, { json: { ent_text: `${name} first ${created}` } }),
    search: () => call('GET', '/Entry?_page=0&_pagesize=5'),
    count: () => call('GET', '/Entry?_count=true'),
  }
  const running = Promise.all(
    Object.entries(requests).flatMap(([kind, request]) => [repeat(kind, request), repeat(kind, request)]),
  ).then(() => {})
  return load

  async function repeat(kind: string, request: () => Promise<Answer>): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        const { status, headers, json, text } = await request()
        const key = `${kind} ${status}`
        counts.set(key, (counts.get(key) ?? 0) + 1)
        const asPromised = status === 503 && json?.code === 'ERR_UNAVAILABLE' && Number(headers.get('retry-after')) > 0
        if (status !== 200 && !asPromised) load.wrong.push([kind, status, headers.get('retry-after'), text])
      } catch (error) {
        load.wrong.push([kind, error])
      }
      // Clients that get an error at once would otherwise only ask for the next one.
      await sleep(5)
    }
  }
}

const kinds = ['create', 'get', 'update', 'search', 'count']

/** Waits until every kind of request was answered `times` more with this status. */
async function untilAnswered(load: Load, status: number, times: number): Promise<void> {
  const before = new Map(load.counts)
  const isDone = () =>
    kinds.every((kind) => (load.counts.get(`${kind} ${status}`) ?? 0) >= (before.get(`${kind} ${status}`) ?? 0) + times)
  await expect
    .poll(isDone, {
      message: `every kind answered with ${status}, so far ${JSON.stringify([...load.counts])}`,
    })
    .toBe(true)
}

/** Test servers forget the last moments before a crash, to be fast; this one must not. */
async function makeDurable(url: string): Promise<void> {
  if (url.startsWith('postgres')) {
    const client = new pg.Client(url)
    await client.connect()
    await client.query('alter database test set synchronous_commit = on')
    await client.end()
  } else {
    const connection = await mysql.createConnection(url)
    await connection.query('set global innodb_flush_log_at_trx_commit = 1')
    await connection.end()
  }
}

describe.each(['postgresql', 'mysql'] as const)('a database that goes away during load', (name) => {
  needsOwn(name, (start) => {
    let server: TestServer
    let served: ServedObjects

    beforeAll(async () => {
      server = await start()
      await makeDurable(server.url)
      served = await serveObjects([Entry], { url: server.url, pool: { max: 4, acquireTimeoutMs } })
    })

    afterAll(async () => {
      await served?.close()
      await server?.close()
    })

    const ways: [string, NodeJS.Signals | undefined][] = [
      ['stopped', undefined],
      ['crashed', 'SIGKILL'],
    ]
    it.each(ways)('%s: 503 meanwhile, nothing lost, nothing twice, and all is well afterwards', async (way, signal) => {
      const { call, store, failures } = served
      failures.length = 0
      const { row_id } = (await call('POST', '/Entry', { json: { ent_text: 'first' } })).json
      const load = startLoad(call, row_id, way)
      try {
        await untilAnswered(load, 200, 10)
        await server.stop(signal)
        await untilAnswered(load, 503, 3)
        await expect(store.ping()).rejects.toMatchObject({ name: 'StoreError', code: 'unavailable' })

        await server.start()
        await makeDurable(server.url)
        await untilAnswered(load, 200, 10)
        await store.ping()
      } finally {
        await load.stop()
      }
      expect(load.wrong.slice(0, 5)).toEqual([])
      expect(failures.filter((failure) => (failure as { status?: number }).status !== 503)).toEqual([])

      const texts = ((await call('GET', '/Entry?_fields=ent_text')).json as { ent_text: string }[]).map(
        ({ ent_text }) => ent_text,
      )
      const there = new Set(texts)
      expect(load.kept.length).toBeGreaterThan(20)
      expect(load.kept.filter((text) => !there.has(text))).toEqual([])
      expect(texts.length).toBe(there.size)
    })

    it('not there yet when the application starts to ask: 503, then well', async () => {
      await server.stop()
      const early = await serveObjects([], { url: server.url, pool: { acquireTimeoutMs } }).catch(
        (error: unknown) => error,
      )
      expect(early).toBeInstanceOf(StoreError)
      expect(early).toMatchObject({ code: 'unavailable' })
      expect((await served.call('GET', '/Entry')).status).toBe(503)
      await server.start()
      expect((await served.call('GET', '/Entry')).status).toBe(200)
    })
  })
})

onEachDatabase((fresh, name) => {
  describe('when all connections are in use', () => {
    let database: FreshDatabase
    let served: ServedObjects

    beforeAll(async () => {
      database = await fresh()
      const limits = name === 'sqlite' ? { busyTimeoutMs: 1500 } : { pool: { max: 2, acquireTimeoutMs: 1500 } }
      served = await serveObjects([Entry], { url: database.url, ...limits })
    })

    afterAll(async () => {
      release()
      await served?.close()
      await database?.drop()
    })

    it('requests get 503 in time, and are served again afterwards', async () => {
      const { call } = served
      /** On a busy machine, to open a connection takes longer than the limit now and then. */
      const whenFree: CallService = async (...request) => {
        for (;;) {
          const answer = await call(...request)
          if (answer.status !== 503) return answer
        }
      }
      // SQLite has one writer.
      const holders = name === 'sqlite' ? 1 : 2
      const rows: string[] = []
      for (let n = 0; n <= holders; n++)
        rows.push((await whenFree('POST', '/Entry', { json: { ent_text: `${n}` } })).json.row_id)
      const [free, ...taken] = rows
      held = 0
      const holding = taken.map((rowId) => whenFree('PUT', `/Entry/${rowId}`, { json: { ent_hold: true } }))
      await expect.poll(() => held).toBe(holders)

      // All are answered while the connections are held: none waits until they are free.
      const others = await Promise.all([
        call('POST', '/Entry', { json: { ent_text: 'late' } }),
        call('PUT', `/Entry/${free}`, { json: { ent_text: 'late' } }),
        call('DELETE', `/Entry/${free}`),
        // Readers of SQLite never wait for writers.
        ...(name === 'sqlite'
          ? []
          : [call('GET', '/Entry'), call('GET', '/Entry?_page=0'), call('GET', '/Entry?_count=true')]),
      ])
      for (const { status, headers, json } of others) {
        expect([status, json.code]).toEqual([503, 'ERR_UNAVAILABLE'])
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
      }
      if (name === 'sqlite') expect((await call('GET', '/Entry')).json).toHaveLength(rows.length)

      release()
      for (const { status } of await Promise.all(holding)) expect(status).toBe(200)
      expect((await call('DELETE', `/Entry/${free}`)).status).toBe(200)
      expect((await call('GET', '/Entry?_count=true')).json.count).toBe(holders)
    })
  })
})
