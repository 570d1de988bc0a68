import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import {
  createBusinessObjects,
  createDiskDocumentStore,
  createMemoryStore,
  createModel,
  systemPrincipal,
} from '@steward/rest-core'
import { restRouter } from '@steward/rest-koa'
import Koa from 'koa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serve, type TestServer } from '../packages/rest-koa/src/lib/testing/serve.js'

/** What the service promises; `npm test` shows the same in a second. */
const mebibytes = process.env['TEST_DEEP'] === '1' ? 1024 : 100
/** What server and client together may have in memory on top. */
const mostMiB = 30

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
  const ann = systemPrincipal({ login: 'ann' })
  id = (await service.create(ann, 'Film', {})).row_id
  server = await serve(new Koa().use(restRouter(service, { authenticate: () => ann }).routes()))
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

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** What is used, not what is left for the garbage collector: when it runs is undefined. */
function usedBytes(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Runs work and gives the most memory that was used on top, of the moments at which `look` was called. */
async function growth(work: (look: () => void) => Promise<void>): Promise<number> {
  const before = usedBytes()
  let most = before
  await work(() => (most = Math.max(most, usedBytes())))
  return (most - before) / 2 ** 20
}

test(`a document of ${mebibytes} MiB goes up and down with flat memory`, { timeout: 300_000 }, async () => {
  const up = await growth(async (look) => {
    const answer = await send('PUT', Readable.from(copies(look), { highWaterMark: 1 }))
    expect(answer.statusCode).toBe(200)
    answer.resume()
  })
  expect(await readdir(join(folder, 'incoming'))).toEqual([])
  const down = await growth(async (look) => {
    let bytes = 0
    let next = chunk.length
    for await (const part of await send('GET')) {
      bytes += (part as Buffer).length
      if (bytes < next) continue
      look()
      next += 10 * chunk.length
    }
    expect(bytes).toBe(mebibytes * chunk.length)
  })
  expect(Math.max(up, down), `${up.toFixed(0)} MiB up, ${down.toFixed(0)} MiB down`).toBeLessThan(mostMiB)
})

function* copies(look: () => void): Iterable<Buffer> {
  for (let made = 0; made < mebibytes; made++) {
    if (made % 10 === 0) look()
    // A new one each time: the same one could be kept for nothing.
    yield Buffer.from(chunk)
  }
}
