import {
  createBusinessObjects,
  createMemoryStore,
  createModel,
  systemPrincipal,
  defineObject,
} from '@steward/rest-core'
import type { BusinessRecord, Caller, ObjectStore } from '@steward/rest-core'
import { StoreError } from '@steward/rest-core/errors'
import Koa from 'koa'
import type { Middleware } from 'koa'
import { expect, onTestFinished, test } from 'vitest'
import { listen } from '../serve.js'
import { ioRouter } from './io-router.js'

const Note = defineObject({ name: 'Note', fields: { text: { type: 'text' } } })

const formats = ['csv', 'json', 'xml', 'zip'] as const

test.for(formats)('a client that goes away ends the reading of %sexport', async (format) => {
  const callers: Caller[] = []
  const app = await start(async function* ({ caller = {} }) {
    callers.push(caller)
    yield await new Promise<never>((_resolve, reject) => {
      caller.signal?.addEventListener('abort', () => reject(new StoreError('timeout', 'nobody waits')))
    })
  })
  const abort = new AbortController()
  const answer = app.export(format, abort.signal)
  await expect.poll(() => callers.length).toBe(1)
  expect(callers[0]).toMatchObject({ user: 'io', signal: { aborted: false } })
  abort.abort()
  await answer
  await expect.poll(() => callers[0]?.signal?.aborted).toBe(true)
  expect(app.failures).toEqual([])
})

test.for(formats)('a client that goes away in the middle of %sexport leaves no reading open', async (format) => {
  let open = 0
  const app = await start(async function* () {
    open++
    try {
      for (let id = 1; ; id++) yield [{ row_id: `${id}`, text: `${Math.sin(id)}`.repeat(1000) }]
    } finally {
      open--
    }
  })
  const abort = new AbortController()
  const response = (await app.export(format, abort.signal)) as Response
  expect(response.status).toBe(200)
  const reader = response.body?.getReader()
  expect((await reader?.read())?.done).toBe(false)
  expect(open).toBe(1)
  abort.abort()
  await expect.poll(() => open).toBe(0)
  expect(app.failures).toEqual([])
})

async function start(search: (query: { caller?: Caller | undefined }) => AsyncGenerator<BusinessRecord[]>) {
  const store: ObjectStore = { ...createMemoryStore(), search: (_object, query) => search(query) }
  const service = createBusinessObjects({ model: createModel([Note]), store })
  const failures: unknown[] = []
  const koa = new Koa()
  koa.silent = true
  const principal = systemPrincipal({ login: 'io' })
  koa.use(
    ioRouter({
      addresses: ['/io'],
      authentication: { authenticate: async () => principal } as never,
      temporaryFolder: '/nowhere',
      maxBytes: 1000,
      privateUrls: false,
      service,
      folder: '/nowhere',
      name: 'notes',
      logs: undefined,
      clearCaches: () => Promise.resolve(),
      purges: {} as never,
      log: { error: (...error: unknown[]) => failures.push(error) } as never,
    }).routes() as Middleware,
  )
  const listener = await listen({ host: '127.0.0.1', port: 0, graceMs: 100 })
  listener.serve(koa)
  onTestFinished(() => listener.stop())
  return {
    failures,
    export: (format: string, signal: AbortSignal): Promise<Response | 'gone'> =>
      fetch(`http://127.0.0.1:${listener.port}/io`, {
        method: 'POST',
        body: new URLSearchParams({ service: `${format}export`, object: 'Note' }),
        signal,
      }).catch(() => 'gone' as const),
  }
}
