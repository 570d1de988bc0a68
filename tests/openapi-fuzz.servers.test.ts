import { createStore } from '@steward/db-adapters'
import { createMemoryStore, createModel } from '@steward/rest-core'
import type { Model, ObjectStore } from '@steward/rest-core'
import { IdempotencyKey, Module, SystemParam } from '@steward/rest-core/system'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answer } from '../packages/rest-koa/src/lib/testing/caller.js'
import { freshFile, patient } from './databases.js'
import { sendAll, serveFuzzed } from './fuzz/fuzzed-service.js'
import type { FuzzedService } from './fuzz/fuzzed-service.js'
import { Shelf, Thing } from './fuzz/openapi-objects.js'
import { requestsOf } from './fuzz/openapi-requests.js'
import type { OpenApiRequest } from './fuzz/openapi-requests.js'

const objects = [Shelf, Thing, Module, SystemParam, IdempotencyKey]
const seed = fc.readConfigureGlobal().seed ?? 0
const isDeep = process.env['TEST_DEEP'] === '1'

/** What only the data can refuse, or what the documentation says in words, by code or by a part of the text. */
const dataCodes: ReadonlySet<string> = new Set(['ERR_REFERENCE', 'ERR_USERKEY', 'ERR_TRANSITION'])
const dataTexts = ['-02-29', 'must contain a picture']

/** What is wrong with an answer. */
function judge(
  request: OpenApiRequest,
  answer: Answer & { readonly url: string },
  { conformance, document }: FuzzedService,
): string[] {
  const { method, headers, valid } = request
  const wrong = conformance.check({ method, path: answer.url, headers }, answer)
  if (wrong !== undefined) return [wrong]
  if (answer.status >= 500) return [`status ${answer.status}`]
  if (!valid || (answer.status !== 400 && answer.status !== 415)) return []
  const messages = (answer.json?.messages ?? []) as { code: string; field?: string; text: string }[]
  // Fields of linked objects that are not listed are described by a pattern.
  const isPath = (name = ''): boolean => name.includes('__') && !JSON.stringify(document).includes(`"${name}"`)
  const refused = messages.filter(
    ({ code, field, text }) =>
      !dataCodes.has(code) &&
      !dataTexts.some((part) => text.includes(part)) &&
      !(code === 'ERR_UNKNOWN_FIELD' && isPath(field)),
  )
  return messages.length > 0 && refused.length === 0 ? [] : [`a valid request is refused: ${answer.text.slice(0, 300)}`]
}

/** An error with its causes. */
function causes(error: unknown): string {
  return error instanceof Error ? `${error.message} ${error.cause === undefined ? '' : causes(error.cause)}` : ''
}

function testDocument(
  name: string,
  count: number,
  open: (model: Model) => Promise<{ store: ObjectStore; drop(): Promise<void> }>,
) {
  describe(`requests generated from the OpenAPI document, over ${name}`, () => {
    let fuzzed: FuzzedService
    let drop: () => Promise<void>

    beforeAll(async () => {
      const model = createModel(objects)
      const opened = await open(model)
      drop = opened.drop
      fuzzed = await serveFuzzed(model, opened.store)
    })

    afterAll(async () => {
      await fuzzed?.close()
      await drop?.()
    })

    it(
      `${count} ones: no failure inside, no answer that is not documented, no valid one refused`,
      { timeout: 400_000 },
      async () => {
        const { document, failures } = fuzzed
        const requests = requestsOf(document, count, seed)
        expect(requests.length).toBeGreaterThanOrEqual(count)
        const { problems, statuses } = await sendAll(fuzzed, requests, (request, answer) =>
          judge(request, answer, fuzzed),
        )
        expect(problems, failures.map(causes).join('\n')).toEqual([])
        expect(failures).toEqual([])
        expect(statuses.get(200)).toBeGreaterThan(count / 4)
        expect(statuses.get(400)).toBeGreaterThan(count / 10)
      },
    )
  })
}

testDocument('SQLite', isDeep ? 20_000 : 1500, async () => {
  const database = await freshFile()
  return { store: await createStore(patient(database.url)), drop: database.drop }
})

testDocument('the memory store', isDeep ? 20_000 : 1000, async () => ({
  store: createMemoryStore(),
  drop: async () => {},
}))
