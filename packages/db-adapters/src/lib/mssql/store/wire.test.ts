import { createModel, type ObjectStore } from '@steward/rest-core'
import { StoreError } from '@steward/rest-core/errors'
import knex from 'knex'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { openFakeMssql, type FakeMssql, type FakeMssqlOptions, type Reply } from '../../../../test/fake-mssql.js'
import type { ServerStoreOptions } from '../../pool/options.js'
import { createMssqlStore } from './adapter.js'

const note = createModel([{ name: 'Note', timestamps: false, fields: { text: { type: 'string' } } }]).object('Note')
const { selection } = note

let store: ObjectStore
let server: FakeMssql

async function start(options: FakeMssqlOptions, limits: ServerStoreOptions = {}): Promise<void> {
  server = await openFakeMssql(options)
  store = createMssqlStore({ connection: server.url, ...limits })
}

afterEach(async () => {
  await Promise.all([store.close(), server.close()])
})

async function failure(work: Promise<unknown>): Promise<StoreError> {
  const error = await work.then(
    () => new Error('It did not fail.'),
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(StoreError)
  return error as StoreError
}

/** The reply to the first statement that holds the text, and what the fake says to all others. */
function once(text: string, first: Reply): (statement: string) => Reply {
  let left = true
  return (statement) => {
    if (!left || !statement.includes(text)) return { rows: [['1']] }
    left = false
    return first
  }
}

describe('SQL Server on the wire', () => {
  test('statements with values and without are answered on one connection', async () => {
    await start({ reply: () => ({ rows: [['7']] }) })
    expect(await store.count(note)).toBe(7)
    expect(await store.count(note, { op: '=', field: 'text', value: 'it is' })).toBe(7)
    expect(server.statements.at(-1)).toContain('it is')
    expect(server.opened).toBe(1)
  })

  test.each([
    [2627, 'unique'],
    [2601, 'unique'],
    [547, 'reference'],
    [515, 'value'],
    [2628, 'value'],
    [8152, 'value'],
    [8115, 'value'],
    [245, 'value'],
    [50_000, 'value'],
    [1205, 'busy'],
    [1222, 'busy'],
    [3960, 'busy'],
    [208, 'schema'],
    [207, 'schema'],
    [3952, 'unavailable'],
    [9002, 'unavailable'],
    [40_501, 'unavailable'],
    [33_557_097, 'internal'],
  ])('error %i is "%s", and the connection is kept', async (error, code) => {
    await start({ reply: once('count', { error }) })
    const { code: found, cause } = await failure(store.count(note))
    expect([found, cause]).toMatchObject([code, { number: error }])
    expect(await store.count(note)).toBe(1)
    expect(server.opened).toBe(1)
  })

  test('a deadlock may be repeated; a lock that did not come in time is not', async () => {
    await start({ reply: once('count', { error: 1205 }) })
    expect((await failure(store.count(note))).repeatable).toBe(true)
  })

  test('a refused value is reported with its columns', async () => {
    const message =
      "Cannot insert the value NULL into column 'text', table 'test.dbo.note'; column does not allow nulls."
    await start({ reply: once('insert', { error: 515, message }) })
    const error = await failure(store.insert(note, { text: 'a' }, selection))
    expect(error.refusal).toMatchObject({ why: 'missing', columns: ['text'] })
  })

  test('a read whose connection is cut is asked again on another one', async () => {
    await start({ reply: once('count', 'cut') })
    expect(await store.count(note)).toBe(1)
    expect(server.opened).toBe(2)
  })

  test('a write whose connection is cut is not repeated, and it is unknown whether it was kept', async () => {
    await start({ reply: once('insert', 'cut') })
    const error = await failure(store.insert(note, { text: 'a' }, selection))
    expect(error.code).toBe('unavailable')
    expect(error.message).toContain('not known')
    expect(server.statements.filter((statement) => statement.includes('insert'))).toHaveLength(1)
  })

  test('an error that ends the connection is a loss', async () => {
    await start({ reply: once('insert', { error: 596, severity: 21 }) })
    expect((await failure(store.insert(note, { text: 'a' }, selection))).message).toContain('not known')
    expect(await store.count(note)).toBe(1)
    expect(server.opened).toBe(2)
  })

  test('a statement that takes too long is ended, and its connection stays usable', async () => {
    await start({ reply: once('count', undefined) }, { statementTimeoutMs: 100 })
    expect((await failure(store.count(note))).code).toBe('timeout')
    expect(server.attentions).toBe(1)
    await expect.poll(() => store.count(note).catch(() => undefined)).toBe(1)
    expect(server.opened).toBe(1)
  })

  test('a server that does not end it is given up', async () => {
    await start({ reply: once('insert', undefined), ignoresAttention: true }, { statementTimeoutMs: 100 })
    expect(['timeout', 'unavailable']).toContain((await failure(store.insert(note, { text: 'a' }, selection))).code)
    await expect.poll(() => store.count(note).catch(() => undefined)).toBe(1)
    expect(server.opened).toBeGreaterThan(1)
  })

  test('a read that is no longer waited for is ended, and its connection closed', async () => {
    await start({ reply: once('count', undefined) })
    const gone = new AbortController()
    const counted = failure(store.count(note, undefined, { caller: { signal: gone.signal } }))
    await vi.waitFor(() => expect(server.statements.some((statement) => statement.includes('count'))).toBe(true))
    gone.abort()
    expect((await counted).code).toBe('timeout')
    expect(server.attentions).toBe(1)
    await vi.waitFor(() => expect(server.open).toBe(0))
  })

  test('a table with triggers, for which "output" is refused, is written by way of a table variable', async () => {
    await start({ reply: once('output', { error: 334 }) })
    await store.insert(note, { text: 'a' }, note.select(['row_id']))
    expect(server.statements.at(-1)).toContain('into @written')
  })

  test('a row that brings its number is let in, and the session is as before', async () => {
    await start({})
    await store.insert(note, { row_id: '7', text: 'a' }, note.select(['row_id']))
    const [on, insert, off] = server.statements.slice(-3)
    expect([
      on?.endsWith('set identity_insert [note] on'),
      off?.endsWith('set identity_insert [note] off'),
    ]).toStrictEqual([true, true])
    expect(insert).toContain('insert into [note]')
  })

  test('a row that brings its number is read back by it where there are triggers, and no digit is lost', async () => {
    await start({ reply: once('output', { error: 334 }) })
    await store.insert(note, { row_id: '9007199254740993', text: 'a' }, note.select(['row_id']))
    const insert = server.statements.at(-2)
    expect(insert).toMatch(/insert into \[note\] \(.*; select .* where \[t0\]\.\[row_id\] = cast\(@p\d as bigint\)/)
    expect(insert).toContain('9007199254740993')
    expect(insert).not.toContain('@written')
  })

  describe('in a transaction of the application', () => {
    test('a call is undone alone, and settings are as before', async () => {
      await start({
        reply(statement) {
          if (statement.includes('@@options')) return { rows: [['7000', '16384']], names: ['lock_timeout', 'options'] }
          return statement.includes('insert') ? { error: 2627 } : { rows: [['1']] }
        },
      })
      const { hostname, port } = new URL(server.url)
      const options = { encrypt: false, useColumnNames: true, useUTC: false }
      const db = knex({
        client: 'mssql',
        connection: { server: hostname, port: Number(port), user: 'sa', password: 'secret', options },
      })
      const trx = await db.transaction()
      const joined = store.within!(trx)
      expect(await joined.count(note)).toBe(1)
      expect(server.statements.at(-1)).toMatch(/set xact_abort on; set lock_timeout 7000$/)
      expect((await failure(joined.insert(note, { text: 'a' }, selection))).code).toBe('unique')
      expect(server.statements.filter((statement) => statement.endsWith('save transaction steward'))).toHaveLength(2)
      expect(server.statements.some((statement) => statement.includes('set xact_abort off'))).toBe(true)
      const [undone, back] = server.statements.slice(-2)
      expect(back).toMatch(/set xact_abort on; set lock_timeout 7000$/)
      expect(undone).toMatch(/if @@trancount > 0 rollback transaction steward$/)
      expect(server.statements.some((statement) => statement.includes('commit transaction'))).toBe(false)
      const raw = (await trx.client.acquireConnection()) as { config: { options: object } }
      expect(raw.config.options).toMatchObject({ useColumnNames: true, useUTC: false })
      await trx.commit()
      await db.destroy()
    })
  })

  test('a transaction that a deadlock has ended is not ended again by mistake', async () => {
    await start({ reply: once('insert', { error: 1205 }) })
    const error = await failure(store.transaction((session) => session.insert(note, { text: 'a' }, selection)))
    expect([error.code, error.repeatable]).toStrictEqual(['busy', true])
    expect(server.statements.at(-1)).toContain('if @@trancount > 0 rollback transaction')
  })

  test('a login that is refused says so, without the password', async () => {
    await start({ refuseLogin: 18_456 })
    const error = await failure(store.ping())
    expect(error.code).toBe('unavailable')
    expect(error.message).not.toContain('secret')
  })
})
