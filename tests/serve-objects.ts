import { createStore, type StoreOptions } from '@steward/db-adapters'
import { createBusinessObjects, createModel, systemPrincipal } from '@steward/rest-core'
import type { BusinessObjects, ObjectDefinition, ObjectStore } from '@steward/rest-core'
import { restRouter } from '@steward/rest-koa'
import Koa from 'koa'
import { createCaller, type CallService } from '../packages/rest-koa/src/lib/testing/caller.js'
import { serve } from '../packages/rest-koa/src/lib/testing/serve.js'

/** An application in this process, as a developer would embed it: Koa, the REST router, a store. */
export interface ServedObjects {
  /** Calls below the base address, e.g. `call('GET', '/Note/1')`. */
  readonly call: CallService
  /** Base address, e.g. `http://127.0.0.1:4711/api/rest`. */
  readonly base: string
  readonly service: BusinessObjects
  readonly store: ObjectStore
  /** What the router reported: answers with status 500 and above. */
  readonly failures: unknown[]
  close(): Promise<void>
}

/** Serves these objects on a free port, to a user who may do everything. @param sync false for tables as others made them */
export async function serveObjects(
  definitions: readonly ObjectDefinition[],
  database: StoreOptions,
  { sync = true }: { readonly sync?: boolean } = {},
): Promise<ServedObjects> {
  const store = await createStore(database)
  const model = createModel(definitions)
  if (sync) await store.sync(model)
  const service = createBusinessObjects({ model, store })
  const ann = systemPrincipal({ login: 'ann' })
  const failures: unknown[] = []
  const app = new Koa()
  app.on('error', (error) => failures.push(error))
  app.use(restRouter(service, { authenticate: () => ann }).routes())
  const server = await serve(app)
  const base = `${server.url}/api/rest`
  return {
    call: createCaller(base, null),
    base,
    service,
    store,
    failures,
    async close() {
      await server.close()
      await store.close()
    },
  }
}
