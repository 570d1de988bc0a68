import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { createDatabaseServer } from '../../create-database-server.js'
import { createCheck } from '../../../../test/grammar.js'
import type { OracleConnection, OracleDriver } from './driver.js'
import { createOracleServer } from './server.js'

/** What the faked server answers to a statement: rows as objects, an error, or nothing before it is stopped. */
type Answer = readonly Readonly<Record<string, unknown>>[] | Error | 'hangs'
type Answers = (sql: string, values: readonly unknown[]) => Answer | undefined

const account = { name: 'steward_a1', user: 'steward_a1', password: "pass'word&1" }

/** A module like node-oracledb, with a server that only knows what a test says. */
function fake(answers: Answers = () => undefined) {
  const statements: string[] = []
  const inserted: { sql: string; rows: readonly (readonly unknown[])[]; options: Record<string, unknown> }[] = []
  const opened: object[] = []
  const calls: string[] = []
  let stop: (error: Error) => void = () => {}
  const answer = async (sql: string, values: readonly unknown[]) => {
    statements.push(sql)
    const found = answers(sql, values) ?? []
    if (found === 'hangs') return new Promise<never>((_, reject) => (stop = reject))
    if (found instanceof Error) throw found
    const names = Object.keys(found[0] ?? {})
    return {
      metaData: names.map((name) => ({ name: name.toUpperCase() })),
      rows: found.map((row) => names.map((name) => row[name])),
    }
  }
  const connection: OracleConnection = {
    async execute(sql, values, options) {
      const { metaData, rows } = await answer(sql, values)
      if (!('resultSet' in options)) return { metaData, rows }
      let left = rows
      return {
        resultSet: {
          async getRows(most) {
            const batch = left.slice(0, most)
            left = left.slice(most)
            return batch
          },
          async close() {},
        },
      }
    },
    async executeMany(sql, rows, options) {
      await answer(sql, [])
      inserted.push({ sql, rows, options: options as Record<string, unknown> })
    },
    async break() {
      calls.push('break')
      stop(refusal(1013))
    },
    async close() {
      calls.push('close')
    },
  }
  const driver: OracleDriver = {
    OUT_FORMAT_ARRAY: 1,
    STRING: 'string',
    BUFFER: 'buffer',
    DB_TYPE_BINARY_DOUBLE: 'double',
    DB_TYPE_CLOB: 'clob',
    DB_TYPE_NCLOB: 'nclob',
    DB_TYPE_BLOB: 'blob',
    async getConnection(options) {
      opened.push(options)
      const refused = answers('connect', [options.user])
      if (refused instanceof Error) throw refused
      return connection
    },
  }
  const server = createOracleServer(
    { host: 'db', port: 1521, service: 'FREEPDB1', user: 'system', password: 'secret' },
    async () => driver,
  )
  return { server, statements, inserted, opened, calls }
}

it('holds no marks, and says so', async () => {
  const { server, statements } = fake()
  expect(await server.marks(account)).toBeUndefined()
  await server.mark(account)
  expect(statements.filter((sql) => sql.includes('comment'))).toEqual([])
})

const refusal = (errorNum: number, message = `ORA-${errorNum}`) => Object.assign(new Error(message), { errorNum })

/** The catalogue of a schema with one table of several kinds of columns. */
const catalogue: Answers = (sql, values) => {
  if (sql.includes('product_component_version')) return [{ version: '23.6.0.24.10' }]
  if (sql.includes('get_ddl')) return [{ statement: `create ${String(values[0])} ${String(values[1])}` }]
  if (sql.includes('from user_tab_cols'))
    return [
      ['ID', 'NUMBER'],
      ['NOTES', 'CLOB'],
      ['NAME', 'VARCHAR2'],
      ['DATA', 'BLOB'],
      ['RATE', 'BINARY_DOUBLE'],
      ['AT', 'TIMESTAMP(6)'],
    ].map(([name, type]) => ({ table_name: 'COMPANY', column_name: name, data_type: type }))
  if (sql.includes('from user_tab_identity_cols i'))
    return [
      {
        table_name: 'COMPANY',
        column_name: 'ID',
        generation_type: 'ALWAYS',
        default_on_null: 'NO',
        position: '41',
      },
    ]
  if (sql.startsWith('select table_name as name from user_tables')) return [{ name: 'COMPANY' }]
  if (sql.includes('from user_indexes')) return [{ name: 'IX' }]
  if (sql.includes('from user_triggers')) return [{ name: 'TR' }]
  if (sql.startsWith('select count(*) as tables')) return [{ tables: 0 }]
  if (sql.includes('from "COMPANY"') && !sql.includes('count'))
    return [
      {
        id: '12345678901234567890.5',
        name: 'Ärger',
        rate: Number.NaN,
        at: ' 2026-01-02 03:04:05.123456',
        notes: 'x'.repeat(40_000),
        data: Buffer.from([0, 255]),
      },
      { id: '2', name: null, rate: -0, at: null, notes: null, data: null },
    ]
  return undefined
}

describe('accounts', () => {
  it('are schemas with what an application needs, and no more', async () => {
    const { server, statements } = fake((sql) => {
      if (sql.includes('as users')) return [{ users: 0 }]
      if (sql.includes('default_tablespace')) return [{ name: 'USERS' }]
      return undefined
    })
    await server.create(account)
    expect(statements.find((sql) => sql.startsWith('grant'))).toBe(
      'grant create session, create table, create sequence, create trigger, create view, create procedure to steward_a1',
    )
    expect(statements).toContain('alter user steward_a1 quota unlimited on "USERS"')
    expect(statements.join()).not.toMatch(/\b(dba|resource|connect|any|unlimited tablespace)\b/i)
  })

  it('are whole with all rights and an open user only', async () => {
    const rights = ['SESSION', 'TABLE', 'SEQUENCE', 'TRIGGER', 'VIEW', 'PROCEDURE']
    const found = (status: string | undefined, names: readonly string[]) =>
      fake((sql) => {
        if (sql.includes('account_status')) return status === undefined ? [] : [{ status }]
        return sql.includes('dba_sys_privs') ? names.map((name) => ({ privilege: `CREATE ${name}` })) : undefined
      }).server.exists(account)
    expect(await found(undefined, [])).toBe('no')
    expect(await found('OPEN', rights)).toBe('yes')
    expect(await found('LOCKED', rights)).toBe('partial')
    expect(await found('OPEN', rights.slice(1))).toBe('partial')
  })

  it('drop() ends sessions, and tries again while they end', async () => {
    let refusals = 2
    const { server, statements } = fake((sql) => {
      if (sql.includes('as users')) return [{ users: 1 }]
      if (sql.includes('v$session')) return [{ sid: 7, serial_number: 9 }]
      if (sql.startsWith('alter system')) return refusal(30)
      return sql.startsWith('drop user') && refusals-- > 0 ? refusal(1940) : undefined
    })
    await server.drop(account)
    expect(statements.filter((sql) => sql === 'drop user steward_a1 cascade')).toHaveLength(3)
    expect(statements).toContain("alter system kill session '7,9' immediate")
  })

  it('drop() of one that is not there does nothing', async () => {
    const { server, statements } = fake((sql) => (sql.includes('as users') ? [{ users: 0 }] : undefined))
    await server.drop(account)
    expect(statements.filter((sql) => sql.startsWith('drop'))).toEqual([])
  })

  it.each(['a"; drop user system cascade --', 'up.down', 'Ä', ''])(
    'refuses the name %j before it asks',
    async (user) => {
      const { server, statements, opened } = fake()
      await expect(server.create({ ...account, user })).rejects.toMatchObject({ code: 'ERR_FAILED' })
      expect([...statements, ...opened]).toEqual([])
    },
  )

  it('never shows a password', async () => {
    const { server, statements } = fake((sql) =>
      sql.startsWith('create user') ? refusal(922, `ORA-00922 near ${account.password}`) : [{ users: 0 }],
    )
    const failed = await server.create(account).catch((error: Error) => error)
    expect(JSON.stringify([(failed as Error).message, (failed as Error).cause ?? ''])).not.toContain(account.password)
    const quoted = await server.create({ ...account, password: 'se"cret' }).catch((error: Error) => error)
    expect((quoted as Error).message).toMatch(/quotation mark/)
    expect((quoted as Error).message).not.toContain('cret')
    expect(statements.filter((sql) => sql.includes('se"cret'))).toEqual([])
  })
})

describe('dumps', () => {
  it('hold every value, and are restored with it', async () => {
    const from = fake(catalogue)
    const { content, done, tools } = await from.server.dump(account)
    const bytes = await buffer(content)
    await done
    expect(tools).toEqual({ 'steward-tables': '1.0' })
    expect(from.statements.indexOf('set transaction read only')).toBeGreaterThan(
      from.statements.findLastIndex((sql) => sql.includes('get_ddl')),
    )
    const to = fake(catalogue)
    await to.server.restore(account, Readable.from([bytes]))
    const ran = to.statements.filter((sql) => /^(create|alter table|insert)/.test(sql))
    expect(ran).toEqual([
      'create TABLE COMPANY',
      'alter table "COMPANY" modify ("ID" generated by default as identity)',
      'insert into "COMPANY" ("ID", "NAME", "RATE", "AT", "NOTES", "DATA") values (:1, :2, :3, :4, :5, :6)',
      'alter table "COMPANY" modify ("ID" generated always as identity (start with 41))',
      'create INDEX IX',
      'create TRIGGER TR',
    ])
    expect(to.inserted[0]?.rows).toEqual([
      [
        '12345678901234567890.5',
        'Ärger',
        Number.NaN,
        ' 2026-01-02 03:04:05.123456',
        'x'.repeat(40_000),
        Buffer.from([0, 255]),
      ],
      ['2', null, -0, null, null, null],
    ])
    expect(to.inserted[0]?.options['bindDefs']).toMatchObject([
      { type: 'string', maxSize: 22 },
      { type: 'string', maxSize: 6 },
      { type: 'double' },
      { type: 'string', maxSize: 27 },
      { type: 'string', maxSize: 40_000 },
      { type: 'buffer', maxSize: 2 },
    ])
  })

  it('splits what the server writes about a trigger', async () => {
    const text = 'CREATE TRIGGER "TR" BEFORE INSERT ON "COMPANY" BEGIN NULL; END;\nALTER TRIGGER "TR" DISABLE'
    const { server } = fake((sql, values) =>
      sql.includes('get_ddl') && values[0] === 'TRIGGER' ? [{ statement: text }] : catalogue(sql, values),
    )
    const lines = (await buffer((await server.dump(account)).content)).toString().split('\n')
    expect(lines).toContain(JSON.stringify({ run: 'ALTER TRIGGER "TR" DISABLE' }))
    expect(lines).toContain(JSON.stringify({ run: text.split('\n')[0] }))
  })

  it('refuse a type that they do not hold, by name', async () => {
    const { server } = fake((sql, values) =>
      sql.includes('from user_tab_cols')
        ? [{ table_name: 'COMPANY', column_name: 'PLACE', data_type: 'SDO_GEOMETRY' }]
        : catalogue(sql, values),
    )
    const { content, done } = await server.dump(account)
    content.resume()
    await expect(done).rejects.toThrow('"COMPANY"."PLACE" has the type SDO_GEOMETRY')
  })

  it('fail when the connection is cut, and stop what is under way when they are aborted', async () => {
    const cut = fake((sql, values) => (sql.includes('from "COMPANY"') ? refusal(3113) : catalogue(sql, values)))
    const first = await cut.server.dump(account)
    first.content.resume()
    await expect(first.done).rejects.toMatchObject({ code: 'ERR_UNREACHABLE' })
    expect(cut.calls).toContain('close')
    const abort = new AbortController()
    const whole = fake((sql, values) => (sql.includes('from "COMPANY"') ? 'hangs' : catalogue(sql, values)))
    const second = await whole.server.dump(account, { signal: abort.signal })
    await expect.poll(() => whole.statements.at(-1)).toContain('from "COMPANY"')
    abort.abort(new DOMException('not needed any more', 'AbortError'))
    await expect(second.done).rejects.toThrow('not needed any more')
    await expect.poll(() => whole.calls).toEqual(['break', 'close'])
  })
})

describe('errors', () => {
  it.each([
    [refusal(1017), 'ERR_CREDENTIALS'],
    [refusal(1031), 'ERR_CREDENTIALS'],
    [refusal(28000), 'ERR_CREDENTIALS'],
    [refusal(1918), 'ERR_NOT_FOUND'],
    [refusal(1920), 'ERR_EXISTS'],
    [refusal(1653), 'ERR_DISK_FULL'],
    [refusal(12514), 'ERR_UNREACHABLE'],
    [Object.assign(new Error('refused'), { code: 'NJS-503' }), 'ERR_UNREACHABLE'],
    [Object.assign(new Error('cut'), { code: 'NJS-500' }), 'ERR_UNREACHABLE'],
    [Object.assign(new Error('lost'), { code: 'ORA-03113' }), 'ERR_UNREACHABLE'],
    [refusal(942), 'ERR_FAILED'],
  ])('%o is %s', async (error, code) => {
    const { server } = fake((sql) => (sql === 'connect' ? error : undefined))
    await expect(server.probe()).rejects.toMatchObject({ name: 'DatabaseServerError', code })
  })

  it('the driver itself finds no server, or one that hangs up', async () => {
    const hangsUp = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
    await once(hangsUp, 'listening')
    const { port } = hangsUp.address() as AddressInfo
    const server = createDatabaseServer({
      type: 'oracle',
      host: '127.0.0.1',
      port,
      service: 'FREEPDB1',
      user: 'a',
      password: 'b',
    })
    await expect(server.probe()).rejects.toMatchObject({ code: 'ERR_UNREACHABLE' })
    hangsUp.close()
    await once(hangsUp, 'close')
    await expect(server.probe()).rejects.toMatchObject({ code: 'ERR_UNREACHABLE' })
  })

  it('an administrator without rights learns which are missing', async () => {
    const { server } = fake((sql) =>
      sql.includes('session_privs') ? [{ privilege: 'CREATE USER' }] : [{ version: '19.25.0.0.0' }],
    )
    await expect(server.probe()).rejects.toMatchObject({ code: 'ERR_CREDENTIALS', message: /GRANT ANY PRIVILEGE/ })
  })
})

it('URLs and connections name the service, and the client gets no password as an argument', async () => {
  const { server, opened } = fake(catalogue)
  expect(server.url(account)).toBe("oracle://steward_a1:pass'word%261@db:1521/FREEPDB1")
  await server.isEmpty(account)
  expect(opened).toEqual([
    {
      user: 'steward_a1',
      password: account.password,
      connectString: 'db:1521/FREEPDB1',
      connectTimeout: 10,
      transportConnectTimeout: 10,
    },
  ])
})

it('every statement is one of PL/SQL by its grammar', async () => {
  const check = createCheck('plsql')
  const { server, statements } = fake((sql, values) => {
    if (sql.includes('as users')) return [{ users: 1 }]
    if (sql.includes('default_tablespace')) return [{ name: 'USERS' }]
    if (sql.includes('as profiles')) return [{ profiles: 0 }]
    if (sql.includes('account_status')) return [{ status: 'OPEN' }]
    if (sql.includes('v$session')) return [{ sid: 7, serial_number: 9 }]
    if (sql.includes('from user_tab_columns')) return [{ table_name: 'COMPANY', column_name: 'AT' }]
    return catalogue(sql, values)
  })
  await server.exists(account)
  await server.create(account)
  const { content, done } = await server.dump(account)
  const bytes = await buffer(content)
  await done
  await server.restore(account, Readable.from([bytes]))
  await server.statistics(account)
  await server.changedSince(account, { time: '2026-11-21 03:00:00', columns: { company: 'at' } })
  await server.drop(account)
  // Those of the faked catalogue are none; of the others this grammar has no rules.
  const unknown = /^(create (TABLE|INDEX|TRIGGER|profile)|alter table .* generated|alter (system|session)|drop user)/
  const own = [...new Set(statements)].filter((sql) => !unknown.test(sql))
  expect(own.length).toBeGreaterThan(25)
  expect(own.map(check).filter((problem) => problem !== undefined)).toEqual([])
})
