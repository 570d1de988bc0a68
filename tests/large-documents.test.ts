import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import {
  createBusinessObjects,
  createDiskDocumentStore,
  createMemoryStore,
  createModel,
  createPrincipal,
} from '@steward/rest-core'
import { restRouter } from '@steward/rest-koa'
import Koa from 'koa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serve, type TestServer } from '../packages/rest-koa/src/lib/testing/serve.js'

/** 1024 tries what the service promises; the default shows the same in seconds. */
const mebibytes = Number(process.env['LARGE_DOCUMENT_MIB'] ?? 200)
/** What server and client together may need on top; the content in memory would be more. */
const mostMiB = 120

const chunk = Buffer.alloc(2 ** 20, 'steward ')
let folder: string
let server: TestServer
let id: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'steward-large-'))
  const model = createModel([{ name: 'Film', fields: { fil_file: { type: 'document', maxBytes: 2 ** 31 } } }])
  const service = createBusinessObjects({
    model,
    store: createMemoryStore(),
    documents: createDiskDocumentStore({ folder }),
  })
  const ann = createPrincipal({ login: 'ann' })
  id = (await service.create(ann, 'Film', {})).row_id
  server = await serve(new Koa().use(restRouter(service, { authenticate: () => ann })))
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

function send(method: string, body?: Readable): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const path = `/api/rest/Film/${id}/_document/fil_file`
    const headers = body ? { 'content-length': mebibytes * chunk.length } : {}
    const sent = request({ port: server.port, method, path, headers }, resolve).on('error', reject)
    if (body) body.pipe(sent)
    else sent.end()
  })
}

/** Runs work and gives the most memory that the process needed on top of what it had. */
async function growth(work: () => Promise<void>): Promise<number> {
  const before = process.memoryUsage.rss()
  let most = before
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 10)
  await work().finally(() => clearInterval(timer))
  return (most - before) / 2 ** 20
}

test(`a document of ${mebibytes} MiB goes up and down with flat memory`, { timeout: 300_000 }, async () => {
  const up = await growth(async () => {
    const answer = await send('PUT', Readable.from(repeat(chunk, mebibytes), { highWaterMark: 1 }))
    expect(answer.statusCode).toBe(200)
    answer.resume()
  })
  expect(await readdir(join(folder, 'incoming'))).toEqual([])
  const down = await growth(async () => {
    let bytes = 0
    for await (const part of await send('GET')) bytes += (part as Buffer).length
    expect(bytes).toBe(mebibytes * chunk.length)
  })
  expect(Math.max(up, down), `${up.toFixed(0)} MiB up, ${down.toFixed(0)} MiB down`).toBeLessThan(mostMiB)
})

function* repeat<T>(value: T, times: number): Iterable<T> {
  for (let time = 0; time < times; time++) yield value
}
