import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { Router } from '@koa/router'
import type { Layer } from '@koa/router'
import { createSqliteStore } from '@steward/db-adapters/sqlite'
import { createBusinessObjects, createModel, defineObject, systemPrincipal } from '@steward/rest-core'
import { restRouter } from '@steward/rest-koa'
import type { RestRouterOptions } from '@steward/rest-koa'
import Koa from 'koa'
import type { Middleware } from 'koa'

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '120' },
    requests: { type: 'string', default: '400' },
    prefixes: { type: 'string', default: '1' },
    help: { type: 'boolean' },
  },
})

if (options.help) {
  console.log('usage: npm run bench:routing -- [--rounds 120] [--requests 400] [--prefixes 1|3]')
  process.exit(0)
}

const objects = 24
const rows = 200

const model = createModel(
  Array.from({ length: objects }, (_, at) =>
    defineObject({
      name: `Thing${at}`,
      fields: {
        thg_name: { type: 'string', length: 50 },
        thg_number: { type: 'integer' },
        thg_text: { type: 'string', length: 100 },
        thg_done: { type: 'boolean' },
        thg_due: { type: 'date' },
      },
    }),
  ),
)
const store = createSqliteStore({ filename: ':memory:' })
await store.sync(model)
const service = createBusinessObjects({ model, store })
const user = systemPrincipal({ login: 'bench' })
for (const name of model.objects.keys())
  for (let row = 1; row <= rows; row++)
    await service.create(user, name, { thg_name: `thing ${row}`, thg_number: row, thg_text: 'text '.repeat(10) })

const all = ['/catalog/api/rest', '/catalogws/rest', '/api/rest'].slice(-Number(options.prefixes))
const restOptions: RestRouterOptions = { authenticate: () => user, respond: 'direct', prefix: all }

/** Handlers of the same requests; the first one has no router. */
const ways: Readonly<Record<string, Middleware>> = {
  'no router': withoutRouter(),
  'with fastPath': restRouter(service, restOptions).routes(),
  'without fastPath': restRouter(service, { ...restOptions, fastPath: false }).routes(),
  'in a router around it': new Router().use(restRouter(service, restOptions).routes()).routes() as Middleware,
}

/** Splits the address at its slashes, and calls what the route of a record calls. */
function withoutRouter(): Middleware {
  const layer = restRouter(service, restOptions).stack.find(({ name }) => name === 'row') as Layer
  const [handler] = layer.stack as unknown as [Middleware]
  return (context, next) => {
    const { path } = context
    const last = path.lastIndexOf('/')
    const captures = [path.slice(path.lastIndexOf('/', last - 1) + 1, last), path.slice(last + 1)]
    Object.assign(context, { captures, matched: [layer] })
    return handler(context, next)
  }
}

const client = new Worker(new URL('./client.ts', import.meta.url))
const figures = new Map(Object.keys(ways).map((way) => [way, [] as number[]]))
const servers = await Promise.all(
  Object.entries(ways).map(async ([way, middleware]) => ({ way, port: await listen(middleware) })),
)
for (let round = -20; round < Number(options.rounds); round++) {
  for (const { way, port } of round % 2 === 0 ? servers : servers.toReversed()) {
    const before = process.threadCpuUsage()
    await ask(port)
    const { user: inUser, system } = process.threadCpuUsage(before)
    if (round >= 0) figures.get(way)?.push((inUser + system) / Number(options.requests))
  }
}
await client.terminate()

const bare = figures.get('no router') ?? []
console.log(
  `CPU time of the server's thread per get, ${objects} objects, ${all.length} prefixes, ${options.rounds} rounds`,
)
console.log('| routes | µs | ratio (median) | lowest quarter | highest quarter |')
console.log('| ------ | -- | -------------- | -------------- | --------------- |')
for (const [way, samples] of figures) {
  const ratios = samples.map((sample, round) => sample / (bare[round] as number))
  const [low, middle, high] = [0.25, 0.5, 0.75].map((part) => quantile(ratios, part).toFixed(3))
  console.log(`| ${way} | ${quantile(samples, 0.5).toFixed(1)} | ${middle} | ${low} | ${high} |`)
}
process.exit()

function quantile(samples: readonly number[], part: number): number {
  return samples.toSorted((a, b) => a - b)[Math.floor(samples.length * part)] as number
}

async function listen(middleware: Middleware): Promise<number> {
  const server = createServer(new Koa().use(middleware).callback())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

async function ask(port: number): Promise<void> {
  const answered = once(client, 'message')
  client.postMessage({ port, base: all[0], requests: Number(options.requests), objects, rows })
  await answered
}
