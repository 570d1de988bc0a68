import { Agent, request as httpRequest } from 'node:http'
import { createStore } from '@steward/db-adapters'
import { createMemoryStore, createModel, createPrincipal } from '@steward/rest-core'
import type { Model, ObjectStore } from '@steward/rest-core'
import { IdempotencyKey, Module, SystemParam } from '@steward/rest-core/system'
import { restRouter } from '@steward/rest-koa'
import * as fc from 'fast-check'
import Koa from 'koa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answer } from '../packages/rest-koa/src/lib/testing/caller.js'
import { createConformance } from '../packages/rest-koa/src/lib/testing/conformance.js'
import type { Conformance } from '../packages/rest-koa/src/lib/testing/conformance.js'
import { runService } from '../packages/rest-koa/src/lib/testing/running-service.js'
import { serve } from '../packages/rest-koa/src/lib/testing/serve.js'
import { freshFile } from './databases.js'
import { Shelf, Thing } from './fuzz/openapi-objects.js'
import { invalidRequest, operationsOf, validRequest } from './fuzz/openapi-requests.js'
import type { OpenApiRequest } from './fuzz/openapi-requests.js'

const objects = [Shelf, Thing, Module, SystemParam, IdempotencyKey]
const seed = fc.readConfigureGlobal().seed ?? 0

/** What only the data can refuse, or what the documentation says in words. */
const dataCodes: ReadonlySet<string> = new Set(['ERR_REFERENCE', 'ERR_USERKEY', 'ERR_TRANSITION'])

/** Row ids that are kept per object; older records are deleted, so that searches stay short. */
const mostRows = 30

interface Fuzzed {
  send(request: OpenApiRequest): Promise<Answer & { readonly url: string }>
  readonly conformance: Conformance
  // oxlint-disable-next-line typescript/no-explicit-any -- a document of any shape
  readonly document: any
  readonly failures: unknown[]
  close(): Promise<void>
}

async function start(model: Model, store: ObjectStore): Promise<Fuzzed> {
  const running = await runService(model, store)
  const ann = createPrincipal({ login: 'ann' })
  const failures: unknown[] = []
  const app = new Koa()
  app.on('error', (error) => failures.push(error))
  app.use(restRouter(running.service, { authenticate: () => ann }))
  const server = await serve(app)
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  const rows = new Map<string, string[]>()
  const document = (await exchange('GET', '/_doc?_output=openapi', {}, undefined)).json
  return {
    document,
    conformance: createConformance(document),
    failures,
    async send({ method, path, headers, body, row }) {
      const known = rows.get(path.split(/[/?]/)[1] ?? '') ?? []
      const url = path.replaceAll('{row_id}', known[row % known.length] ?? '1')
      const answer = await exchange(method, url, headers, body)
      await keep(answer)
      return { ...answer, url }
    },
    async close() {
      agent.destroy()
      await server.close()
      await running.close()
    },
  }

  /** Remembers the new record that an answer tells of. */
  async function keep({ headers }: Answer): Promise<void> {
    const [, object = '', id] = /\/([A-Z]\w*)\/(\d+)$/.exec(headers.get('location') ?? '') ?? []
    if (id === undefined) return
    const known = rows.get(object) ?? []
    rows.set(object, [...known.filter((each) => each !== id), id])
    if (known.length < mostRows) return
    const [oldest = ''] = rows.get(object)?.splice(0, 1) ?? []
    await running.service.delete(ann, object, oldest).catch(() => {})
  }

  function exchange(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string | Buffer | undefined,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const request = httpRequest(
        {
          agent,
          port: server.port,
          host: '127.0.0.1',
          method,
          path: `/api/rest${path}`,
          headers: { ...headers, ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }) },
        },
        (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('error', reject)
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString()
            resolve({
              status: response.statusCode as number,
              headers: new Headers(response.headers as Record<string, string>),
              text,
              json: parse(text),
            })
          })
        },
      )
      request.on('error', (error) =>
        reject(new Error(`${method} ${path} ${JSON.stringify(headers)} ${String(body)}`, { cause: error })),
      )
      request.end(body)
    })
  }
}

/** Documents may have any content and any media type. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What is wrong with an answer. */
function judge(request: OpenApiRequest, answer: Answer & { readonly url: string }, conformance: Conformance): string[] {
  const { method, headers, valid } = request
  const wrong = conformance.check({ method, path: answer.url, headers }, answer)
  if (wrong !== undefined) return [wrong]
  if (answer.status >= 500) return [`status ${answer.status}`]
  if (!valid || (answer.status !== 400 && answer.status !== 415)) return []
  const messages = (answer.json?.messages ?? []) as { code: string; text: string }[]
  const refused = messages.filter(({ code, text }) => !dataCodes.has(code) && !text.includes('-02-29'))
  return messages.length > 0 && refused.length === 0 ? [] : [`a valid request is refused: ${answer.text.slice(0, 300)}`]
}

/** An error with those behind it. */
function causes(error: unknown): string {
  return error instanceof Error ? `${error.message} ${error.cause === undefined ? '' : causes(error.cause)}` : ''
}

function testDocument(
  name: string,
  count: number,
  open: (model: Model) => Promise<{ store: ObjectStore; drop(): Promise<void> }>,
) {
  describe(`requests made of the OpenAPI document, over ${name}`, () => {
    let fuzzed: Fuzzed
    let drop: () => Promise<void>

    beforeAll(async () => {
      const model = createModel(objects)
      const opened = await open(model)
      drop = opened.drop
      fuzzed = await start(model, opened.store)
    })

    afterAll(async () => {
      await fuzzed?.close()
      await drop?.()
    })

    it(
      `${count} ones: no failure inside, no answer that is not documented, no valid one refused`,
      { timeout: 400_000 },
      async () => {
        const { document, conformance, send, failures } = fuzzed
        const operations = operationsOf(document)
        const each = Math.ceil(count / operations.length / 2)
        const requests = operations
          .flatMap((operation) => [
            ...fc.sample(validRequest(operation, document), { seed, numRuns: each }),
            ...fc.sample(invalidRequest(operation, document), { seed, numRuns: each }),
          ])
          .map((request, place) => ({ request, place: (place * 7919) % 1_000_003 }))
          .toSorted((a, b) => a.place - b.place)
        expect(requests.length).toBeGreaterThanOrEqual(count)
        const problems: string[] = []
        const statuses = new Map<number, number>()
        const todo = requests.values()
        await Promise.all(
          Array.from({ length: 16 }, async () => {
            for (const { request } of todo) {
              if (problems.length > 20) return
              const answer = await send(request)
              statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
              for (const problem of judge(request, answer, conformance)) {
                const { operationId, method, headers, body } = request
                problems.push(
                  `${operationId}: ${method} ${answer.url} ${JSON.stringify(headers)} ${String(body)} → ${problem}`,
                )
              }
            }
          }),
        )
        expect(problems, failures.map(causes).join('\n')).toEqual([])
        expect(failures).toEqual([])
        expect(statuses.get(200)).toBeGreaterThan(count / 4)
        expect(statuses.get(400)).toBeGreaterThan(count / 10)
      },
    )
  })
}

testDocument('SQLite', 20_000, async () => {
  const database = await freshFile()
  return { store: await createStore(database.url), drop: database.drop }
})

testDocument('the memory store', 4_000, async () => ({ store: createMemoryStore(), drop: async () => {} }))
