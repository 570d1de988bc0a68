import {
  allRights,
  createBusinessObjects,
  createMemoryStore,
  createModel,
  createPrincipal,
  createRights,
  defineObject,
} from '@steward/rest-core'
import type { GrantData, Principal } from '@steward/rest-core'
import { RestError } from '@steward/rest-core/errors'
import Koa from 'koa'
import { afterEach, expect, it } from 'vitest'
import { serve } from '../testing/serve.js'
import type { TestServer } from '../testing/serve.js'
import { restRouter } from './rest-router.js'
import type { RestRouterOptions } from './rest-router.js'

const Note = defineObject({
  name: 'Note',
  fields: { text: { type: 'text' } },
  publications: {
    lines: { format: 'csv', scope: 'global' },
    array: { format: 'json', scope: 'global' },
    tree: { format: 'xml', scope: 'global' },
  },
})

const model = createModel([Note])

function annWith(...grants: GrantData[]): Principal {
  return createPrincipal({ login: 'ann', rights: createRights(model, grants, {}) })
}

const ann = createPrincipal({ login: 'ann', rights: allRights })

function noCredentials(): Principal {
  throw new RestError('ERR_CREDENTIALS', 'Switched off.')
}

let server: TestServer | undefined

afterEach(async () => {
  await server?.close()
  server = undefined
})

const early = 40
const late = 400

/** Serves notes: some at once, the others when `open` was called. */
async function start(authenticate: () => Principal, options: Partial<RestRouterOptions> = {}, rows = early + late) {
  const gate = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  const counted = { rows: 0, asked: 0 }
  const failures: unknown[] = []
  const service = createBusinessObjects({
    model,
    store: {
      ...createMemoryStore(),
      async *search() {
        try {
          for (; counted.rows < rows; counted.rows++) {
            if (counted.rows === early) await gate.promise
            yield [{ row_id: String(counted.rows), text: 'a'.repeat(16_384) }]
          }
        } finally {
          ended.resolve()
        }
      },
    },
  })
  const app = new Koa()
  app.on('error', (error) => failures.push(error))
  const asked = (): Principal => {
    counted.asked++
    return authenticate()
  }
  app.use(restRouter(service, { authenticate: asked, ...options }).routes())
  server = await serve(app)
  return { url: `${server.url}/api/rest`, counted, failures, open: gate.resolve, ended: ended.promise }
}

const answers = [
  ['/Note', 'application/json'],
  ['/Note', 'application/x-ndjson'],
  ['/Note?_printtemplate=lines', '*/*'],
  ['/Note?_printtemplate=array', '*/*'],
  ['/Note?_printtemplate=tree', '*/*'],
  ['/Note?_printtemplate=lines&_output=json', '*/*'],
] as const

const losses = [
  ['is switched off', noCredentials],
  ['may no longer read the object', () => annWith()],
] as const

const cases = (['direct', 'koa'] as const).flatMap((respond) =>
  answers.flatMap((answer) => losses.map((loss) => [respond, ...answer, ...loss] as const)),
)

it.each(cases)('with %s, GET %s as %s is cut when its user %s', async (respond, path, accept, _how, withdrawn) => {
  let authenticate = (): Principal => ann
  const { url, counted, failures, open, ended } = await start(() => authenticate(), { respond, recheckMs: 0 })
  const answer = await fetch(url + path, { headers: { accept } })
  expect(answer.status).toBe(200)
  authenticate = withdrawn
  open()
  await expect(answer.arrayBuffer()).rejects.toThrow()
  await ended
  expect(counted.rows).toBeLessThan(early + late / 2)
  // Koa itself reports every connection that ends before its answer.
  const expected = { code: 'ERR_STREAM_PREMATURE_CLOSE' }
  expect(failures).toEqual(respond === 'koa' ? [expect.objectContaining(expected)] : [])
})

it('a publication is cut when its user may no longer use it', async () => {
  let user = annWith({ object: 'Note', letters: 'R' })
  const { url, open } = await start(() => user, { recheckMs: 0 })
  const answer = await fetch(`${url}/Note?_printtemplate=lines`)
  expect(answer.status).toBe(200)
  user = annWith({ object: 'Note', letters: 'R', publications: [] })
  open()
  await expect(answer.arrayBuffer()).rejects.toThrow()
})

it('an administrator who sees what a user sees no longer does when that user is switched off', async () => {
  let user: Principal | undefined = createPrincipal({ login: 'bob', rights: allRights })
  const { url, open } = await start(() => ann, { recheckMs: 0, viewAs: async () => user })
  const answer = await fetch(`${url}/Note`, { headers: { 'X-View-As': 'bob' } })
  expect(answer.status).toBe(200)
  user = undefined
  open()
  await expect(answer.arrayBuffer()).rejects.toThrow()
})

it('an answer whose user keeps all rights comes whole, and its user is asked for again only after a while', async () => {
  for (const recheckMs of [0, 3_600_000]) {
    const { url, counted, open } = await start(() => ann, { recheckMs })
    open()
    const answer = await fetch(`${url}/Note`)
    expect(await answer.json()).toHaveLength(early + late)
    if (recheckMs > 0) expect(counted.asked).toBe(1)
    else expect(counted.asked).toBeGreaterThan(1)
    await server?.close()
  }
})

it('a short answer asks who its user is once', async () => {
  const { url, counted } = await start(() => ann, { recheckMs: 0 }, 1)
  expect(await (await fetch(`${url}/Note`)).json()).toHaveLength(1)
  expect(counted.asked).toBe(1)
})
