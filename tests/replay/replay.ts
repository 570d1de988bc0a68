import { createStore } from '@steward/db-adapters'
import {
  createBusinessObjects,
  createModel,
  createPrincipal,
  systemPrincipal,
  createRights,
  type Principal,
} from '@steward/rest-core'
import { restRouter } from '@steward/rest-koa'
import Koa from 'koa'
import { serve } from '../../packages/rest-koa/src/lib/testing/serve.js'
import { patient } from '../databases.js'
import type { Exchange } from './log.js'
import { Entry, Kind, Remark } from './objects.js'

export interface Replay {
  /** Sends the request and gives the exchange with its answer. */
  send(exchange: Exchange): Promise<Exchange>
  close(): Promise<void>
}

const base = '/api/rest'
/** Headers that are part of the log. */
const headers = ['location', 'link', 'allow']
const start = Date.UTC(2026, 4, 6, 12)

/** Serves the objects of the log on an empty database. The clock is a second later at each request, so answers have no time of ours. */
export async function openReplay(url: string): Promise<Replay> {
  const store = await createStore(patient(url))
  const model = createModel([Kind, Entry, Remark])
  await store.sync(model)
  let now = start
  const service = createBusinessObjects({ model, store, clock: () => new Date(now) })
  const grants = [
    { object: 'Entry', letters: 'RU', filter: "ent_flag = true and ent_kind__kin_code <> 'b'", hidden: ['ent_price'] },
  ]
  const users: Record<string, Principal> = {
    ann: systemPrincipal({ login: 'ann' }),
    rob: createPrincipal({ login: 'rob', rights: createRights(model, grants, { LOGIN: 'rob' }) }),
  }
  const app = new Koa()
  app.silent = true
  app.use(restRouter(service, { authenticate: ({ headers: { from = 'ann' } }) => users[from] as Principal }).routes())
  const server = await serve(app, { maxHeaderSize: 65_536 })
  return {
    async send(exchange) {
      const { method, path, body = null, user = 'ann' } = exchange
      now += 1_000
      const response = await fetch(`${server.url}${base}${encode(path)}`, {
        method,
        body,
        headers: { from: user, ...(body === null ? {} : { 'content-type': 'application/json' }) },
      })
      const lines = headers.flatMap((name) => {
        const value = response.headers.get(name)
        return value === null ? [] : [`${name}: ${value}`]
      })
      const text = await response.text()
      return { ...exchange, answer: [`${response.status}`, ...lines, ...(text === '' ? [] : [text])] }
    },
    async close() {
      await server.close()
      await store.close()
    },
  }
}

/** What is percent-encoded in the log stays as it is. */
function encode(path: string): string {
  return encodeURI(path).replaceAll('%25', '%')
}
