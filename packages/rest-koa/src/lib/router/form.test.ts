import {
  createBusinessObjects,
  createMemoryStore,
  createModel,
  systemPrincipal,
  defineObject,
} from '@steward/rest-core'
import Koa from 'koa'
import { expect, it, onTestFinished } from 'vitest'
import { serve } from '../testing/serve.js'
import { restRouter } from './rest-router.js'

it('a form has at most 1 MiB and 1,000 parameters, a list of names 1,000, JSON may have more', async () => {
  const Note = defineObject({
    name: 'Note',
    fields: { code: { type: 'string' } },
    actions: {
      measure: {
        scope: 'global',
        parameters: { text: { type: 'text', length: 2_000_000 } },
        run: ({ parameters }) => parameters.text.length,
      },
    },
  })
  const service = createBusinessObjects({ model: createModel([Note]), store: createMemoryStore() })
  const app = new Koa().use(restRouter(service, { authenticate: () => systemPrincipal({ login: 'ann' }) }).routes())
  const server = await serve(app)
  onTestFinished(() => server.close())
  const post = async (type: string, body: string) => {
    const headers = { 'content-type': type }
    const answer = await fetch(`${server.url}/api/rest/Note/action:measure`, { method: 'POST', headers, body })
    return [answer.status, await answer.json()]
  }
  const form = 'application/x-www-form-urlencoded'
  expect(await post(form, `text=${'+'.repeat(1_000_000)}`)).toEqual([200, { result: 1_000_000 }])
  expect(await post(form, `text=${'+'.repeat(2 ** 20)}`)).toEqual([
    413,
    expect.objectContaining({ error: 'The body is larger than 1048576 bytes.' }),
  ])
  expect(await post(form, 'a=1&'.repeat(1_001))).toEqual([
    400,
    expect.objectContaining({ error: 'There are more than 1000 parameters.' }),
  ])
  for (const name of ['_fields', '_order', '_inline_documents']) {
    const list = Array.from({ length: 1_001 }, () => 'code').join()
    const answer = await fetch(`${server.url}/api/rest/Note?${name}=${list}`)
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('has more than 1000 names')])
  }
  const most = Array.from({ length: 1_000 }, () => 'code').join()
  expect((await fetch(`${server.url}/api/rest/Note?_fields=${most}`)).status).toBe(200)
  const text = ' '.repeat(2_000_000)
  expect(await post('application/json', JSON.stringify({ text }))).toEqual([200, { result: 2_000_000 }])
})
