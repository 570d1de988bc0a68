import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type RunningApp } from '../../tests/programs/app-server.js'
import { codeBlocks } from '../../tests/programs/markdown.js'
import { shellIsMissing, unexpectedOutputs } from '../../tests/programs/shell.js'

let folder: string
let file: string
let before: unknown
let app: RunningApp

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'steward-shop-'))
  file = join(folder, 'shop.db')
  await promisify(execFile)(process.execPath, [fileURLToPath(new URL('make-database.ts', import.meta.url)), file])
  before = schema()
  app = await startApp(['--database', `sqlite:${file}`, '--name', 'shop', '--data', join(folder, 'data')])
})
afterAll(async () => {
  await app?.stop()
  await rm(folder, { recursive: true })
})

/** Everything that was ever created in the database. */
function schema(): unknown {
  const database = new Database(file, { readonly: true })
  try {
    return database.prepare('select type, name, tbl_name, sql from sqlite_schema order by name').all()
  } finally {
    database.close()
  }
}

test('the service has the name that was given', async () => {
  expect(app.output()).toMatch(/^shop \S+ is served at \S+\/shop\/api\/rest$/m)
  expect((await fetch(`${app.origin}/shop/api/rest/Customers/`)).status).toBe(401)
  expect((await fetch(`${app.origin}/database/api/rest/Customers/`)).status).toBe(404)
})

test('tables are served under readable names, with references and displayed fields', async () => {
  expect((await app.call('/OrderLines/?_order=row_id')).body[0]).toEqual({
    row_id: '1',
    order_no: '10643',
    sku: 'CHAI',
    sku__name: 'Chai, 10 boxes of 20 bags',
    quantity: 15,
  })
  const { body } = await app.call('/Customers/?since=is+null')
  expect(body).toEqual([{ row_id: '3', company: 'Bergs snabbköp', country: 'SE', since: '', credit_limit: null }])
})

test('what the tables demand is demanded of records', async () => {
  const codes = async (object: string, record: object) => {
    const { status, body } = await app.call(`/${object}`, { body: record })
    return [status, ...body.messages.map(({ code, field }: { code: string; field: string }) => `${code} ${field}`)]
  }
  expect(await codes('Customers', { country: 'GBR' })).toEqual([400, 'ERR_REQUIRED company', 'ERR_LENGTH country'])
  expect(await codes('Customers', { company: 'Around the Horn' })).toEqual([409, 'ERR_USERKEY company'])
  expect(await codes('Orders', { customer_id: '99', ordered_at: '2026-01-01 10:00:00' })).toEqual([
    400,
    'ERR_REFERENCE customer_id',
  ])
  expect(await codes('OrderLines', { order_no: '10643', sku: 'CHAI', quantity: 1.5 })).toEqual([
    400,
    'ERR_TYPE quantity',
  ])
  expect((await app.call('/Products/IKURA', { method: 'DELETE' })).status).toBe(409)
})

test('views, and tables whose key has several columns, are served; keys that are guessed are named in the log', async () => {
  const log = app.errors()
  expect(log).toMatch(/BIG_ORDERS: no key is declared; rows are known by \\"OrderNo/)
  expect((await app.call('/BigOrders/')).body).toEqual([
    { row_id: '10355', pieces: 25 },
    { row_id: '10643', pieces: 17 },
  ])
  const [stock] = (await app.call('/Stock/')).body
  expect(stock).toMatchObject({ warehouse: 'NORTH', sku: 'CHAI', quantity: 40 })
  expect((await app.call(`/Stock/${stock.row_id}`)).body).toEqual(stock)
})

test('the shell block of the README prints what it says', async ({ skip }) => {
  skip(shellIsMissing() !== undefined, shellIsMissing())
  const [, password = ''] = /with the password (\S+)/.exec(app.output()) ?? []
  const [block = ''] = codeBlocks(new URL('README.md', import.meta.url), 'sh')
  expect(block).toContain('<password>')
  expect(
    await unexpectedOutputs(block.replaceAll('http://127.0.0.1:8080', app.origin).replace('<password>', password)),
  ).toEqual([])
  expect((await app.call('/OrderLines/?order_no=10702')).body).toEqual([])
})

test('nothing was added to the database', () => {
  expect(schema()).toEqual(before)
})
