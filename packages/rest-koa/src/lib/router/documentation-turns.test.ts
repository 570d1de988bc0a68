import { setImmediate as turn } from 'node:timers/promises'
import {
  atOnce,
  createBusinessObjects,
  createMemoryStore,
  createModel,
  defineObject,
  describeService,
  systemPrincipal,
  toOpenApi,
} from '@steward/rest-core'
import { systemObjects } from '@steward/rest-core/system'
import Koa from 'koa'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { suiteObjects } from '../testing/objects.js'
import { serve } from '../testing/serve.js'
import { jsonSteps, yamlSteps } from './document-text.js'
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

it('documents that are written in steps say the same as those that are written at once', () => {
  const definitions = [...new Map([...suiteObjects, ...systemObjects].map((object) => [object.name, object])).values()]
  const document = {
    ...toOpenApi(
      describeService({
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
      }),
    ),
    'x: odd #key': { '': {}, "'": [], text: 'a\n\n  b: c\n', deep: { 'a b': { '- c': null, d: undefined } } },
  }
  const plain = JSON.parse(JSON.stringify(document)) as unknown
  expect(atOnce(jsonSteps(document))).toBe(JSON.stringify(document))
  expect(parse(atOnce(yamlSteps(document)))).toStrictEqual(plain)
})
