import { text as textOf } from 'node:stream/consumers'
import { setImmediate as turn } from 'node:timers/promises'
import {
  createBusinessObjects,
  createMemoryStore,
  createModel,
  defineObject,
  describeService,
  describeServiceParts,
  systemPrincipal,
  toOpenApi,
  type DescribeOptions,
} from '@steward/rest-core'
import { systemObjects } from '@steward/rest-core/system'
import Koa from 'koa'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { suiteObjects } from '../testing/objects.js'
import { serve } from '../testing/serve.js'
import { jsonDocument, yamlDocument, type DocumentText } from './document-text.js'
import { restRouter } from './rest-router.js'

const many = 200

/** How often others had their turn until the work was done. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  const state = { turns: 0, isDone: false }
  const done = work.finally(() => (state.isDone = true))
  while (!state.isDone) {
    await turn()
    state.turns++
  }
  await done
  return state.turns
}

async function readWhole(document: DocumentText): Promise<string> {
  const { stream, length } = document.end()
  const text = await textOf(stream)
  expect(Buffer.byteLength(text)).toBe(length)
  return text
}

for (const output of ['markdown', 'html', 'openapi', 'swagger-2.0']) {
  it(`the ${output} document of many objects leaves turns to other requests`, async () => {
    const objects = Array.from({ length: many }, (_, at) =>
      defineObject({ name: `Table${at}`, fields: { name: { type: 'string' } } }),
    )
    const service = createBusinessObjects({ model: createModel(objects), store: createMemoryStore() })
    const app = new Koa()
    app.use(
      restRouter(service, { authenticate: () => systemPrincipal({ login: 'ann' }), app: { name: 'shop' } }).routes(),
    )
    const server = await serve(app)
    const answered = fetch(`${server.url}/api/rest/_doc?_output=${output}`).then((answer) => answer.text())
    // At least one for each object while they are described.
    expect(await turnsDuring(answered)).toBeGreaterThan(many)
    expect(await answered).toContain(`Table${many - 1}`)
    await server.close()
  })
}

it('documents that are written in parts say the same as those that are written at once', async () => {
  const definitions = [...new Map([...suiteObjects, ...systemObjects].map((object) => [object.name, object])).values()]
  const options: DescribeOptions = {
    model: createModel(definitions),
    principal: systemPrincipal({ login: 'ann' }),
    service: {
      title: 'Shop: "a" & b',
      version: '1.0',
      base: '/shop/api/rest',
      level: '5.1',
      authorizationHeader: 'X-Authorization',
      routes: [
        { method: 'GET', path: '/{object}', operation: 'search' },
        { method: 'POST', path: '/{object}', operation: 'create' },
      ],
      parameters: [],
    },
  }
  const odd = {
    'x: odd #key': { '': {}, "'": [], text: 'a\n\n  b: c\n', deep: { 'a b': { '- c': null, d: undefined } } },
  }
  const whole = JSON.parse(JSON.stringify({ ...toOpenApi(describeService(options)), ...odd })) as { tags: unknown }
  for (const [text, read] of [
    [jsonDocument(), (given: string) => JSON.parse(given) as unknown],
    [yamlDocument(), (given: string) => parse(given) as unknown],
  ] as const) {
    for (const part of describeServiceParts(options)) {
      // No part is about more than one object, so that no more need be kept.
      expect(new Set(part.operations.map(({ object }) => object)).size).toBeLessThan(2)
      expect(part.objects.length).toBeLessThan(2)
      text.add({ ...toOpenApi(part), tags: undefined })
    }
    text.add({ tags: whole.tags, ...odd })
    expect(read(await readWhole(text))).toStrictEqual(whole)
  }
})

it('jsonDocument() puts members of several parts together, and keeps the first of a name', async () => {
  const text = jsonDocument()
  text.add({ components: { schemas: { A: { schema: { type: 'string' } } } }, paths: {} })
  text.add({ components: { schemas: { A: { other: true }, B: { type: 'number' } } }, paths: { '/a': { get: {} } } })
  expect(await readWhole(text)).toBe(
    '{"components":{"schemas":{"A":{"schema":{"type":"string"}},"B":{"type":"number"}}},"paths":{"/a":{"get":{}}}}',
  )
})
