import {
  createBusinessObjects,
  createMemoryStore,
  createModel,
  systemPrincipal,
  defineObject,
} from '@steward/rest-core'
import type { Caller, ObjectStore } from '@steward/rest-core'
import { StoreError } from '@steward/rest-core/errors'
import Koa from 'koa'
import { afterEach, expect, it } from 'vitest'
import { serve } from '../testing/serve.js'
import type { TestServer } from '../testing/serve.js'
import { restRouter } from './rest-router.js'

let server: TestServer | undefined

afterEach(async () => {
  await server?.close()
  server = undefined
})

/** A store whose reads wait until no client waits for them. */
function endlessStore(callers: Caller[]): ObjectStore {
  const wait = async (caller: Caller = {}): Promise<never> => {
    callers.push(caller)
    await new Promise<void>((resolve) => caller.signal?.addEventListener('abort', () => resolve()))
    throw new StoreError('timeout', 'nobody waits')
  }
  return {
    ...createMemoryStore(),
    capabilities: createMemoryStore().capabilities,
    count: (_object, _where, options) => wait(options?.caller),
    aggregate: (_object, { caller }) => wait(caller),
    searchIndex: (_object, { caller }) => wait(caller),
    countIndex: (_object, { caller }) => wait(caller),
    async *search(_object, { caller }) {
      yield await wait(caller)
    },
  }
}

it.each([
  '?_count=true',
  '?_page=0',
  '?_cursor=',
  '',
  '?_indexsearch=a',
  '?_indexsearch=a&_count=true',
  '?_crosstab=all',
  '?_printtemplate=list',
  '?_printtemplate=list&_count=true',
])('a client that goes away ends the reading for GET /Note/%s, whose user the store knows', async (query) => {
  const Note = defineObject({
    name: 'Note',
    fields: { text: { type: 'string' }, amount: { type: 'integer' } },
    indexable: true,
    crosstabs: { all: { lines: ['text'], values: [{ function: 'count' }] } },
    publications: { list: { format: 'csv', scope: 'global' } },
  })
  const callers: Caller[] = []
  const failures: unknown[] = []
  const app = new Koa()
  app.on('error', (error) => failures.push(error))
  const service = createBusinessObjects({ model: createModel([Note]), store: endlessStore(callers) })
  app.use(restRouter(service, { authenticate: () => systemPrincipal({ login: 'ann' }) }).routes())
  server = await serve(app)
  const abort = new AbortController()
  const answer = fetch(`${server.url}/api/rest/Note/${query}`, { signal: abort.signal }).catch(() => 'gone')
  await expect.poll(() => callers.length).toBe(1)
  expect(callers[0]).toMatchObject({ user: 'ann', signal: { aborted: false } })
  abort.abort()
  expect(await answer).toBe('gone')
  await expect.poll(() => callers[0]?.signal?.aborted).toBe(true)
  expect(failures).toEqual([])
})
