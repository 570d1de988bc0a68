import { bytesValue, createModel } from '@steward/rest-core'
import { afterEach, describe, expect, test } from 'vitest'
import { openOracleStore } from './adapter.js'
import type { Client, Driver, ExecuteOptions, Lob, Result } from './driver.js'

const model = createModel([{ name: 'Task', timestamps: false, fields: { title: { type: 'string', length: 20 } } }])
const task = model.object('Task')
const select = task.selection
const picture = createModel([
  { name: 'Picture', timestamps: false, fields: { content: { type: 'document', storage: 'column' } } },
]).object('Picture')
const order = [{ field: 'row_id', descending: false }]

type Answer = (call: {
  readonly sql: string
  readonly binds?: readonly unknown[]
  readonly options: ExecuteOptions
  readonly client: FakeClient
}) => unknown

class FakeClient implements Client {
  callTimeout = 0
  healthy = true
  closed = false
  readonly calls: string[] = []
  readonly limits: number[] = []
  /** Rejects the statement that hangs. */
  interrupt: ((error: Error) => void) | undefined
  readonly #answer: Answer

  constructor(answer: Answer) {
    this.#answer = answer
  }

  async execute(sql: string, binds: readonly unknown[], options: ExecuteOptions): Promise<Result> {
    // Every table has a key.
    if (/all_(?:indexes|tables)/.test(sql))
      return { metaData: [{ name: 'name' }, { name: 'column' }], rows: [['pk', 'row_id']] }
    this.calls.push(sql)
    this.limits.push(this.callTimeout)
    if (sql.startsWith('alter session')) return {}
    return ((await this.#answer({ sql, binds, options, client: this })) as Result | undefined) ?? { rows: [['1', 'a']] }
  }
  createLob(type: unknown): Promise<Lob> {
    this.calls.push(`empty ${String(type)}`)
    return Promise.resolve({ close: async () => void this.calls.push('close') })
  }
  async commit(): Promise<void> {
    this.calls.push('commit')
    await this.#answer({ sql: 'commit', options: {} as ExecuteOptions, client: this })
  }
  rollback(): Promise<void> {
    this.calls.push('rollback')
    return Promise.resolve()
  }
  break(): Promise<void> {
    this.calls.push('break')
    this.interrupt?.(failure('ORA-01013', 'user requested cancel of current operation'))
    return Promise.resolve()
  }
  isHealthy(): boolean {
    return this.healthy
  }
  close(): Promise<void> {
    this.closed = true
    return Promise.resolve()
  }
}

function failure(code: string, text = 'failed'): Error {
  return Object.assign(new Error(`${code}: ${text}`), { code })
}

const stores: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close()
})

function open(answer: Answer, connecting?: (at: number) => void) {
  const clients: FakeClient[] = []
  const driver: Driver = {
    OUT_FORMAT_ARRAY: 1,
    BIND_OUT: 2,
    STRING: 's',
    CLOB: 'c',
    DB_TYPE_NUMBER: 'n',
    DB_TYPE_CLOB: 'c',
    DB_TYPE_NCLOB: 'nc',
    DB_TYPE_BLOB: 'b',
    BUFFER: 'buffer',
    async getConnection() {
      connecting?.(clients.length)
      const client = new FakeClient(answer)
      clients.push(client)
      return client
    },
  }
  const options = { connection: 'oracle://u:p@h/s', pool: { max: 2 }, statementTimeoutMs: 1234 }
  const store = openOracleStore(options, () => Promise.resolve(driver))
  stores.push(store)
  return { store, clients }
}

const inserted = { outBinds: [['1'], ['a']] }

describe('a store on Oracle', () => {
  test('contents are bound as BLOBs, empty ones too, which are closed when the statement fails', async () => {
    const bound: unknown[] = []
    const { store, clients } = open(({ sql, binds }) => {
      if (!sql.startsWith('insert')) return undefined
      bound.push(binds?.[0])
      if (bound.length === 2) throw failure('ORA-01536')
      return { outBinds: [['1']] }
    })
    const write = (bytes: Buffer) => store.insert(picture, { content: bytesValue(bytes) }, picture.select([]))
    await write(Buffer.of(1, 2))
    await expect(write(Buffer.of())).rejects.toThrow('ORA-01536')
    expect(bound).toEqual([{ val: Buffer.of(1, 2), type: 'b' }, { close: expect.any(Function) }])
    expect(clients[0]?.calls.slice(-3)).toEqual(['empty b', expect.stringMatching(/^insert/), 'close'])
  })

  test('statements have the limit of time, schema work has none', async () => {
    const { store, clients } = open(() => undefined)
    await store.get(task, '1', { select })
    expect(clients[0]?.limits.at(-1)).toBe(1234)
    await store.plan(model)
    expect(clients.flatMap(({ limits }) => limits).at(-1)).toBe(0)
  })

  test('a read whose connection is lost is asked again on another one, a write is not', async () => {
    let losses = 1
    const { store, clients } = open(({ sql, client }) => {
      if (losses === 0) return sql.startsWith('insert') ? inserted : undefined
      losses--
      client.healthy = false
      throw failure('NJS-500', 'connection to the Oracle Database was broken')
    })
    expect(await store.get(task, '1', { select })).toStrictEqual({ row_id: '1', title: 'a' })
    expect(clients.map(({ closed }) => closed)).toStrictEqual([true, false])
    losses = 1
    await expect(store.insert(task, { title: 'a' }, select)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('Whether the change was kept is not known'),
    })
    expect(clients.flatMap(({ calls }) => calls).filter((sql) => sql.startsWith('insert'))).toHaveLength(1)
    expect(await store.insert(task, { title: 'a' }, select)).toStrictEqual({ row_id: '1', title: 'a' })
    expect(clients.map(({ closed }) => closed)).toStrictEqual([true, true, false])
  })

  test('a connection that was lost while it was idle is not given out', async () => {
    const { store, clients } = open(() => undefined)
    await store.ping()
    clients[0]!.healthy = false
    await store.ping()
    expect(clients.map(({ closed }) => closed)).toStrictEqual([true, false])
  })

  test('a call that takes too long is a timeout, and the connection stays', async () => {
    let calls = 0
    const { store, clients } = open(() => {
      calls++
      if (calls === 1) throw failure('NJS-123', 'call timeout of 1234 ms exceeded')
    })
    await expect(store.count(task)).rejects.toMatchObject({ code: 'timeout' })
    await store.ping()
    expect(clients).toHaveLength(1)
  })

  test('a read that is not waited for is broken off, and its connection is given up', async () => {
    const gone = new AbortController()
    const { store, clients } = open(({ sql, client }) => {
      if (!sql.startsWith('select count')) return undefined
      const hanging = new Promise((_, reject) => {
        client.interrupt = reject
      })
      gone.abort()
      return hanging
    })
    const counted = store.count(task, undefined, { caller: { signal: gone.signal } })
    await expect(counted).rejects.toMatchObject({ code: 'timeout' })
    expect(clients[0]?.calls.at(-1)).toBe('break')
    expect(clients[0]?.closed).toBe(true)
    await store.ping()
    expect(clients).toHaveLength(2)
  })

  test('statements of a transaction commit together', async () => {
    const committing: unknown[] = []
    const { store, clients } = open(({ sql, options }) => {
      if (sql.startsWith('insert')) committing.push(options.autoCommit)
      return sql.startsWith('insert') ? inserted : undefined
    })
    await store.transaction((session) => session.insert(task, { title: 'a' }, select))
    await store.insert(task, { title: 'a' }, select)
    expect(committing).toStrictEqual([false, true])
    expect(clients[0]?.calls.filter((sql) => sql === 'commit')).toHaveLength(1)
  })

  test('a statement that is refused undoes the transaction, and so does a commit that is refused', async () => {
    const { store, clients } = open(({ sql }) => {
      if (sql.startsWith('insert')) throw failure('ORA-00001', 'unique constraint (A.B) violated')
      if (sql === 'commit') throw failure('ORA-02091', 'transaction rolled back\nORA-02291: constraint (A.FK) violated')
    })
    const refused = store.transaction(async (session) => {
      await session.insert(task, { title: 'a' }, select).catch(() => undefined)
    })
    await expect(refused).rejects.toMatchObject({ code: 'unique' })
    expect(clients[0]?.calls.at(-1)).toBe('rollback')
    await expect(store.transaction(() => Promise.resolve())).rejects.toMatchObject({ code: 'reference' })
  })

  test('a commit without an answer is reported as such', async () => {
    const { store, clients } = open(({ sql, client }) => {
      if (sql !== 'commit') return undefined
      client.healthy = false
      throw failure('ORA-03113', 'end-of-file on communication channel')
    })
    await expect(store.transaction(() => Promise.resolve())).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('Whether the change was kept is not known'),
    })
    expect(clients[0]?.closed).toBe(true)
  })

  test('a server that cannot be reached is unavailable, and is asked again later', async () => {
    let isThere = false
    const { store } = open(
      () => undefined,
      () => {
        if (!isThere) throw failure('NJS-503', 'connection to host h port 1521 could not be established')
      },
    )
    await expect(store.ping()).rejects.toMatchObject({ code: 'unavailable' })
    isThere = true
    await store.ping()
  })

  test('a stream reads in batches, and closes what it has opened when its reader stops', async () => {
    let closed = 0
    const batches = [[['1', 'a']], [['2', 'b']], []]
    const { store } = open(() => ({
      resultSet: {
        getRows: () => Promise.resolve(batches.shift() ?? []),
        close: () => Promise.resolve(void closed++),
      },
    }))
    for await (const records of store.search(task, { select, order })) {
      expect(records).toStrictEqual([{ row_id: '1', title: 'a' }])
      break
    }
    expect([closed, batches.length]).toStrictEqual([1, 2])
  })

  test('texts of more than 4,000 bytes go as CLOBs', async () => {
    const longs = createModel([{ name: 'Note', timestamps: false, fields: { text: { type: 'text' } } }])
    const note = longs.object('Note')
    const bound: unknown[] = []
    const { store, clients } = open(() => ({ outBinds: [['1']] }))
    await store.ping()
    const { execute } = clients[0]!
    clients[0]!.execute = function (sql, binds, options) {
      if (sql.startsWith('insert')) bound.push(...binds.slice(0, 1))
      return execute.call(this, sql, binds, options)
    }
    for (const text of ['é'.repeat(2_000), 'é'.repeat(2_001)])
      await store.insert(note, { text }, note.select(['row_id']))
    expect(bound).toStrictEqual(['é'.repeat(2_000), { val: 'é'.repeat(2_001), type: 'c' }])
  })
})
