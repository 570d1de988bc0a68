import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import {
  createModel,
  createBusinessObjects,
  createDiskDocumentStore,
  createMemoryStore,
  systemPrincipal,
  defineObject,
} from '@steward/rest-core'
import type { RecordsOf } from '@steward/rest-core'
import { createAdministrator, createEventHub, createUserDirectory, systemObjects } from '@steward/rest-core/system'
import { createAuthentication, eventsRouter, loginRouter, restRouter } from '@steward/rest-koa'
import { createClient, exactly, RestClientError } from '@steward/rest-client'
import type { Page } from '@steward/rest-client'
import Koa from 'koa'
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest'
import { serve, type TestServer } from '../packages/rest-koa/src/lib/testing/serve.js'

const execute = promisify(execFile)
const root = fileURLToPath(new URL('..', import.meta.url))

const Author = defineObject({ name: 'Author', fields: { aut_name: { type: 'string', length: 100, key: true } } })

const Book = defineObject({
  name: 'Book',
  label: 'Book',
  fields: {
    bok_isbn: { type: 'string', length: 20, key: true, label: 'ISBN' },
    bok_title: { type: 'string', length: 200, required: true },
    bok_pages: { type: 'integer' },
    bok_state: { type: 'enum', values: ['new', 'read'], default: 'new' },
    bok_author_id: { type: 'reference', object: 'Author', display: ['aut_name'] },
    bok_cover: { type: 'document' },
  },
  order: ['bok_isbn'],
  indexable: ['bok_title'],
  events: true,
  actions: {
    add: {
      parameters: { pages: { type: 'integer', required: true } },
      async run({ service, principal, record, parameters }) {
        const pages = Number(record?.['bok_pages']) + Number(parameters['pages'])
        await service.update(principal, 'Book', record?.row_id ?? '', { bok_pages: pages })
        return { pages }
      },
    },
    tally: {
      scope: 'global',
      background: true,
      async run({ records, progress }) {
        let pages = 0
        for await (const batch of await records()) for (const record of batch) pages += Number(record['bok_pages'])
        progress(1, 1, 'counted')
        return pages
      },
    },
  },
  publications: { label: { format: 'txt', template: '{{bok_title}} ({{bok_pages}} pages)' } },
  crosstabs: { states: { lines: ['bok_state'], values: [{ function: 'sum', field: 'bok_pages' }] } },
})
const Loan = defineObject({
  name: 'Loan',
  events: true,
  fields: {
    row_id: { type: 'id', fields: ['loa_author', 'loa_code'] },
    loa_author: { type: 'reference', object: 'Author', display: ['aut_name'] },
    loa_code: { type: 'string', length: 20 },
    loa_days: { type: 'integer' },
    loa_paper: { type: 'document' },
  },
})
type Records = RecordsOf<[typeof Author, typeof Book, typeof Loan]>

const password = 'correct horse'
let folder: string
let server: TestServer
let close: () => Promise<void>

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'steward-client-'))
  const model = createModel([...systemObjects, Author, Book, Loan])
  const store = createMemoryStore()
  const hub = createEventHub({ model, store })
  const service = createBusinessObjects({
    model,
    store,
    documents: createDiskDocumentStore({ folder }),
    onChange: () => hub.notify(),
  })
  hub.start()
  await createAdministrator(service, { login: 'ann', password })
  await service.create(systemPrincipal(), 'User', { usr_login: 'münch' })
  const directory = createUserDirectory({ model, store })
  const authentication = createAuthentication({
    authenticator: directory,
    tokens: { secret: Buffer.alloc(32, 'k') },
  })
  const { authenticate } = authentication
  const app = new Koa()
  app.use(loginRouter(authentication).routes())
  app.use(eventsRouter(service, hub, { authenticate }).routes())
  app.use(restRouter(service, { authenticate, viewAs: directory.principalOfLogin }).routes())
  server = await serve(app)
  close = async () => {
    await hub.close()
    await server.close()
    await service.close()
  }
})
afterAll(async () => {
  await close?.()
  rmSync(folder, { recursive: true, force: true })
})

const connect = () => createClient<Records>({ url: `${server.url}/api/rest`, credentials: { login: 'ann', password } })

async function failure(call: Promise<unknown>): Promise<RestClientError> {
  const error: unknown = await call.then(
    () => 'resolved',
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(RestClientError)
  return error as RestClientError
}

describe('the client', () => {
  it('writes and reads records, typed by their definitions', async () => {
    const client = connect()
    const { login } = await client.login()
    expect(login).toBe('ann')
    const author = await client.object('Author').create({ aut_name: "Flann O'Brien" })
    const books = client.object('Book')
    const book = await books.create({
      bok_isbn: '1',
      bok_title: 'The Third Policeman',
      bok_pages: 200,
      bok_author_id: author.row_id,
    })
    expectTypeOf(book.bok_title).toEqualTypeOf<string>()
    expectTypeOf(book.bok_state).toEqualTypeOf<'' | 'new' | 'read'>()
    expect(book).toMatchObject({ bok_state: 'new', bok_author_id__aut_name: "Flann O'Brien" })

    const { record, etag } = await books.getTagged(book.row_id)
    expect(record).toEqual(book)
    expect(await books.update(book.row_id, { bok_state: 'read' }, { ifMatch: etag })).toMatchObject({
      bok_state: 'read',
    })
    const stale = books.update(book.row_id, { bok_state: 'new' }, { ifMatch: etag })
    expect(await failure(stale)).toMatchObject({ code: 'ERR_PRECONDITION', status: 412 })
    expect(await books.getByKey(['1'], { fields: ['bok_title'] })).toEqual({
      row_id: book.row_id,
      bok_title: 'The Third Policeman',
    })
    // @ts-expect-error: a title is required
    expect(await failure(books.create({ bok_isbn: '2' }))).toMatchObject({
      code: 'ERR_VALIDATION',
      messages: [{ code: 'ERR_REQUIRED', field: 'bok_title' }],
    })
    expect(await failure(books.get('999'))).toMatchObject({ code: 'ERR_NOT_FOUND', status: 404 })
    await client.logout()
  })

  it('searches, pages and counts', async () => {
    const authors = connect().object('Author')
    const names = Array.from({ length: 25 }, (_, at) => `Author ${String(at).padStart(2, '0')}`)
    const created = await authors.batch(names.map((name) => ({ action: 'create', values: { aut_name: name } })))
    expect(created).toHaveLength(25)
    const filters = { aut_name: 'Author *' }
    const found: string[] = []
    for await (const { aut_name } of authors.search({ filters, order: ['-aut_name'] })) found.push(aut_name)
    expect(found).toEqual(names.toReversed())
    expect(await authors.count(filters)).toMatchObject({ count: 25 })
    expect(await authors.count({ aut_name: exactly("Flann O'Brien") })).toMatchObject({ count: 1 })
    const filter = "aut_name = 'Author 03' or aut_name like 'Author 1%'"
    expect(await authors.count({}, { filter })).toMatchObject({ count: 11 })
    expect((await authors.page({ filters: { aut_name: 'Author 0*' }, filter })).records).toHaveLength(1)

    const pages: string[][] = []
    let cursor: string | undefined
    do {
      const page = await authors.page({
        filters,
        order: ['aut_name'],
        pageSize: 10,
        ...(cursor !== undefined && { cursor }),
      })
      pages.push(page.records.map(({ aut_name }) => aut_name))
      cursor = page.cursor
    } while (cursor !== undefined)
    expect(pages.map(({ length }) => length)).toEqual([10, 10, 5])
    expect(pages.flat()).toEqual(names)
  })

  it('finds records by words', async () => {
    const client = connect()
    const [hit] = await client.object('Book').indexSearch('police*')
    expect(hit).toMatchObject({ object: 'Book', key: '1', data: { bok_title: 'The Third Policeman' } })
    expect(await client.indexSearch('"third policeman"')).toHaveLength(1)
  })

  it('runs actions, waits for those in the background, and gets publications and pivot tables', async () => {
    const client = connect()
    const books = client.object('Book')
    const { row_id: rowId } = await books.getByKey(['1'])
    expect(await books.action('add', { pages: 2 }, { rowId })).toEqual({ result: { pages: 202 } })
    // @ts-expect-error: pages are required
    expect(await failure(books.action('add', {}, { rowId }))).toMatchObject({ messages: [{ code: 'ERR_REQUIRED' }] })
    const started = await books.action('tally')
    if (!('task' in started)) throw new Error('It was not started in the background.')
    const ended = await client.waitForTask(started.task.id, { intervalMs: 10 })
    expect(ended).toMatchObject({ status: 'done', result: 202, text: 'counted' })
    const publication = await books.publication('label', { rowId })
    expect(await publication.text()).toBe('The Third Policeman (202 pages)')
    expect(await books.crosstab('states', {}, { cubes: true })).toEqual([{ bok_state: 'read', value: 202 }])
    expect(await books.metadata('create')).toMatchObject({ name: 'Book', label: 'Book' })
  })

  it('streams documents up and down', async () => {
    const books = connect().object('Book')
    const { row_id: rowId } = await books.getByKey(['1'])
    const bytes = new Uint8Array(3_000_000).map((_, at) => at % 251)
    const stream = new Blob([bytes]).stream()
    const changed = await books.upload(rowId, 'bok_cover', stream, {
      name: 'Umschlag ü.bin',
      type: 'application/x-cover',
    })
    expect(changed.bok_cover).not.toBe('')
    const answer = await books.download(rowId, 'bok_cover')
    expect(answer.headers.get('content-type')).toBe('application/x-cover')
    expect(Buffer.compare(new Uint8Array(await answer.arrayBuffer()), bytes)).toBe(0)
    const part = await books.download(rowId, 'bok_cover', { range: 'bytes=10-12' })
    expect([...new Uint8Array(await part.arrayBuffer())]).toEqual([10, 11, 12])
  })

  it('tries writes, and repeats them safely', async () => {
    const books = connect().object('Book')
    const values = { bok_isbn: '3', bok_title: 'At Swim-Two-Birds' }
    await books.create(values, { dryRun: true })
    expect(await failure(books.getByKey(['3']))).toMatchObject({ status: 404 })
    const first = await books.create(values, { idempotencyKey: 'once' })
    expect(await books.create(values, { idempotencyKey: 'once' })).toEqual(first)
    expect(await books.upsert(['3'], { bok_pages: 10 })).toMatchObject({ row_id: first.row_id, bok_pages: 10 })
    expect(await books.delete(first.row_id)).toEqual({ row_id: first.row_id })
  })

  it('hears of changes as they happen, and of those since an earlier one', async () => {
    const client = connect()
    const heard: string[] = []
    let created: Records['Book'] | undefined
    for await (const { object, row_id: rowId, action, id } of client.events({ objects: ['Book'], after: '0' })) {
      heard.push(`${object} ${action} ${rowId}`)
      expect(id).toBe(String(heard.length))
      created ??= await client.object('Book').create({ bok_isbn: '4', bok_title: 'The Dalkey Archive' })
      if (created && rowId === created.row_id) break
    }
    const positions: string[] = []
    for await (const { id } of client.events({ after: '0', onPosition: (position) => positions.push(position) })) {
      // A position is reported after its event has been taken.
      expect(positions.includes(id)).toBe(false)
      if (positions.length === 2) break
    }
    expect(positions).toEqual(['1', '2'])
    expect(heard[0]).toBe('Book create 1')
    expect(heard.at(-1)).toBe(`Book create ${created?.row_id}`)
  })
  it('shows what another user sees, and changes nothing then', async () => {
    const url = `${server.url}/api/rest`
    const view: { login?: string } = {}
    const viewer = createClient({ url, credentials: { login: 'ann', password }, viewAs: () => view.login })
    expect((await viewer.info())['user']).toMatchObject({ login: 'ann' })
    view.login = 'münch'
    expect((await viewer.info())['user']).toMatchObject({ login: 'münch', responsibilities: [] })
    await expect(viewer.object('Book').count()).rejects.toMatchObject({ status: 403, code: 'ERR_RIGHT' })
    await expect(viewer.object('Book').create({ bok_isbn: '9' })).rejects.toThrow('nothing can be changed')
    await expect(createClient({ url, viewAs: 'ann' }).info()).rejects.toMatchObject({ status: 401 })
  })

  it('goes by row ids of several fields', async () => {
    const client = connect()
    const loans = client.object('Loan')
    const { row_id: author } = await client.object('Author').create({ aut_name: 'Of loans' })
    const codes = ['a', 'a~b', '..', 'a/b?c#d%2F', 'é 𝄞', ' 1']
    const created = await loans.batch(
      codes.map((loa_code) => ({ action: 'create', values: { loa_author: author, loa_code } })),
    )
    expect(created).toHaveLength(codes.length)
    const found: string[] = []
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const page: Page<Records['Loan']> = await loans.page({ order: ['loa_days'], pageSize: 4, cursor })
      for (const loan of page.records) {
        expect(await loans.get(loan.row_id)).toEqual(loan)
        expect(await loans.getByKey([author, loan.loa_code])).toEqual(loan)
        found.push(loan.loa_code)
      }
      cursor = page.cursor
    }
    expect(found.toSorted()).toEqual(codes.toSorted())

    const id = `${author}~a.2Fb.3Fc.23d.252F`
    const { record, etag } = await loans.getTagged(id)
    expect(record).toMatchObject({ row_id: id, loa_code: 'a/b?c#d%2F', loa_author__aut_name: 'Of loans' })
    const changed = await loans.update(id, { loa_days: 7 }, { ifMatch: etag })
    expect(changed).toEqual({ ...record, loa_days: 7 })
    expect(await failure(loans.update(id, { loa_days: 8 }, { ifMatch: etag }))).toMatchObject({ status: 412 })
    expect(await failure(loans.update(id, { loa_code: 'else' }))).toMatchObject({
      messages: [{ code: 'ERR_USERKEY', field: 'loa_code' }],
    })
    expect(await loans.upsert([author, 'a/b?c#d%2F'], { loa_days: 9 })).toMatchObject({ row_id: id, loa_days: 9 })
    expect(await loans.count({ row_id: [`${author}~a`, exactly(id)] })).toMatchObject({ count: 2 })
    await loans.upload(id, 'loa_paper', new Blob(['paper']), { name: 'a.txt', type: 'text/plain' })
    expect(await (await loans.download(id, 'loa_paper')).text()).toBe('paper')
    await loans.batch([
      { action: 'update', row_id: id, values: { loa_days: 10 } },
      { action: 'delete', row_id: `${author}~....` },
    ])
    expect(await loans.get(id, { fields: ['loa_days'] })).toEqual({ row_id: id, loa_days: 10 })
    expect(await failure(loans.get(`${author}~....`))).toMatchObject({ code: 'ERR_NOT_FOUND' })
    expect(await loans.delete(id)).toEqual({ row_id: id })
    const told: string[] = []
    for await (const { action, row_id: rowId } of client.events({ objects: ['Loan'], after: '0' })) {
      if (rowId === id) told.push(action)
      if (action === 'delete' && rowId === id) break
    }
    expect(told).toEqual(['create', 'update', 'update', 'update', 'update', 'delete'])
  })
})

describe('rest-client types', () => {
  const cli = join(root, 'packages/rest-client/dist/cli.js')
  const run = (args: readonly string[], env: Record<string, string> = {}) =>
    execute(process.execPath, [cli, ...args], { env: { PATH: process.env['PATH'] ?? '', ...env }, cwd: folder })

  it('writes types that code can use, from a running service', async () => {
    const url = `${server.url}/api/rest`
    const { stderr } = await run(['types', '--url', url, '--login', 'ann', '--output', 'records.ts'], {
      STEWARD_PASSWORD: password,
    })
    expect(stderr).toContain('records.ts: ')
    expect(readFileSync(join(folder, 'records.ts'), 'utf8')).toContain(
      'export interface Book {\n  row_id: string\n  /** ISBN */\n',
    )
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    writeFileSync(
      join(folder, 'use.ts'),
      `import { createClient } from '@steward/rest-client'
import type { Records } from './records.js'
const client = createClient<Records>({ url: '${url}' })
const book = await client.object('Book').get('1')
export const state: 'new' | 'read' | '' = book.bok_state
const books = client.object('Book')
await books.create({ bok_isbn: '1', bok_title: 'x', bok_cover: { name: 'a.png', content: '' } })
await books.update('1', book)
await books.action('add', { pages: 1 }, { rowId: '1' })
await books.crosstab('states')
await books.publication('label', { rowId: '1' })
// @ts-expect-error there is no such object
client.object('Nothing')
// @ts-expect-error there is no such field
await books.create({ bok_isbn: '1', bok_title: 'x', bok_nope: 'x' })
// @ts-expect-error a title is required
await books.create({ bok_isbn: '1' })
// @ts-expect-error there is no such action
await books.action('nope')
// @ts-expect-error there is no such pivot table
await books.crosstab('nope')
// @ts-expect-error a title is a text
export const title: number = book.bok_title
`,
    )
    const flags = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2023', '--skipLibCheck', 'false']
    await execute(join(root, 'node_modules/.bin/tsc'), [...flags, '--lib', 'es2024,dom,dom.iterable', 'use.ts'], {
      cwd: folder,
    })
  })

  it.each([
    [['types'], 2, '--url'],
    [['nothing', '--url', 'x'], 2, 'types'],
    [['types', '--url', 'http://127.0.0.1:1/api/rest'], 1, 'cannot be reached'],
    [['types', '--url', 'x', '--wrong'], 2, '--wrong'],
  ])('%j ends with %i and says why', async (args, code, text) => {
    const failed = (await run(args).catch((error: unknown) => error)) as { code: number; stderr: string }
    expect(failed).toMatchObject({ code, stderr: expect.stringContaining(text) as string })
  })

  it('shows no password when it is wrong', async () => {
    const call = run(['types', '--url', `${server.url}/api/rest`, '--login', 'ann'], {
      STEWARD_PASSWORD: 'wrong-secret',
    })
    const failed = (await call.catch((error: unknown) => error)) as { code: number; stderr: string }
    expect(failed.code).toBe(1)
    expect(failed.stderr).not.toContain('wrong-secret')
  })
})
