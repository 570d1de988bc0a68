/// <reference types="node" />
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createClient } from '@steward/rest-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildRequest } from './build-request.js'
import { copiesOf } from './copy-as.js'
import { emptyDraft } from './draft.js'
import type { Draft } from './draft.js'

/** Requests that came, without what differs between clients. */
const seen: { readonly line: string; readonly authorization: string | undefined; readonly body: string }[] = []
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk) => (body += String(chunk)))
  request.on('end', () => {
    seen.push({ line: `${request.method} ${request.url}`, authorization: request.headers.authorization, body })
    response.setHeader('Content-Type', 'application/json')
    response.end(
      request.url?.includes('_count') ? '{"count":1}' : request.url?.endsWith('/1') ? '{"row_id":"1"}' : '[]',
    )
  })
})
let rest = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  rest = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/rest`
})
afterAll(() => server.close())

const copies = (draft: Partial<Draft>) => {
  const entered = { ...emptyDraft, object: 'Movie', ...draft }
  const request = buildRequest(entered, { rest, level: '5.1' })
  return copiesOf(request, entered, { kind: 'password', login: 'ann' }, rest)
}

/** Runs code of a module, with what it imports given to it. */
async function run(code: string): Promise<void> {
  const body = code.replace(/^import .*$/gm, '')
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor as FunctionConstructor
  const work = new AsyncFunction('createClient', 'process', 'console', body) as unknown as (
    ...values: readonly unknown[]
  ) => Promise<void>
  await work(createClient, { env: { PASSWORD: 'sesame' } }, { log: () => undefined })
}

const filters = [{ field: 'mov_title', value: "like 'A%'" }]
test.each<[Draft['operation'], Partial<Draft>]>([
  [
    'page',
    { filters, order: '-mov_year', page: '2', pageSize: '10', condition: 'mov_year > 2000 or mov_year is null' },
  ],
  ['count', { filters }],
  ['get', { rowId: '1' }],
  ['create', { body: '{"mov_title":"A \\"quoted\\" one"}' }],
  ['update', { rowId: '1', body: '{"mov_title":"B"}' }],
  ['delete', { rowId: '1' }],
])('fetch and rest-client send the request of %s that is shown', async (operation, draft) => {
  const made = copies({ operation, ...draft })
  expect(made.map(({ id }) => id)).toEqual(['curl', 'fetch', 'client'])
  const entered = { ...emptyDraft, object: 'Movie', operation, ...draft }
  const { method, url, body } = buildRequest(entered, { rest, level: '5.1' })
  for (const { id, text } of made.slice(1)) {
    seen.length = 0
    await run(text)
    const [request] = seen
    expect(request?.authorization, id).toBe(`Basic ${btoa('ann:sesame')}`)
    const [asked, wanted] = [new URL(request?.line.split(' ')[1] ?? '', rest), new URL(url)]
    const pathOf = ({ pathname }: URL) => pathname.replace(/\/$/, '')
    expect([request?.line.split(' ')[0], pathOf(asked)], id).toEqual([method, pathOf(wanted)])
    expect(Object.fromEntries(asked.searchParams), id).toEqual(Object.fromEntries(wanted.searchParams))
    expect(request?.body ? (JSON.parse(request.body) as unknown) : undefined, id).toEqual(
      typeof body === 'string' ? (JSON.parse(body) as unknown) : undefined,
    )
  }
})

test('what the client has no method for is there as curl and fetch', () => {
  expect(copies({ operation: 'batch', body: '[]' }).map(({ id }) => id)).toEqual(['curl', 'fetch'])
})
