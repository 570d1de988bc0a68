// Serves notes to any user, by the database and the folder that it is given, with the heap that its test gives it.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createStore } from '@steward/db-adapters'
import {
  createBusinessObjects,
  createDiskDocumentStore,
  createModel,
  systemPrincipal,
  memoryLimits,
  processBudget,
} from '@steward/rest-core'
import { restRouter } from '@steward/rest-koa'
import Koa from 'koa'

const [url = '', folder = '', topicBytes, notes] = process.argv.slice(2)
const model = createModel([
  { name: 'Topic', fields: { top_code: { type: 'string', key: true }, top_text: { type: 'text' } } },
  {
    name: 'Note',
    fields: {
      not_topic: { type: 'reference', object: 'Topic', display: ['top_code'] },
      not_file: { type: 'document' },
    },
  },
])
const store = await createStore({ url, ...(url.startsWith('sqlite:') ? {} : { pool: { max: 60 } }) })
await store.sync(model)
const documents = createDiskDocumentStore({ folder })
const service = createBusinessObjects({ model, store, documents })
const system = systemPrincipal()
const text = 'steward '.repeat(Number(topicBytes) / 8)
const { row_id: topic } = await service.create(system, 'Topic', { top_code: 't', top_text: text })
const items = Array.from({ length: Number(notes) }, () => ({ action: 'create' as const, values: { not_topic: topic } }))
await service.batch(system, 'Note', items)
const app = new Koa()
app.silent = true
const authenticate = ({ req }: Koa.Context) => systemPrincipal({ login: String(req.headers['x-user']) })
app.use(restRouter(service, { authenticate, respond: 'direct', bodyLimitBytes: 64 * 2 ** 20 }).routes())
const server = createServer(app.callback())
server.listen(0, '127.0.0.1', () =>
  process.send?.({ port: (server.address() as AddressInfo).port, topic, limits: memoryLimits() }),
)
process.on('message', () => process.send?.({ rss: process.memoryUsage.rss(), used: processBudget().used }))
