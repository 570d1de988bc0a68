import mysql from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { needsOwn, type TestServer } from '../../../../../../tests/servers/index.js'
import { describeMysql, openMysqlTables } from '../../../../test/table-dump-mysql.js'
import { createTableDumpServer } from '../../../../test/table-dump-server.js'
import { testDatabaseServer } from '../../server/contract-suite.js'
import type { ServerUnderTest, TestConnection } from '../../server/contract-suite.js'
import { createDatabaseServer } from '../../create-database-server.js'
import type { DatabaseAccount } from '../../server/database-server.js'

needsOwn('mysql', (start) => {
  let server: TestServer
  let number = 0
  const optionsOf = (options: { readonly path?: string; readonly mark?: string; readonly password?: string } = {}) =>
    ({
      type: 'mysql',
      host: '127.0.0.1',
      port: server.port,
      user: 'steward',
      password: 'steward',
      ...options,
    }) as const
  const make = (options?: Parameters<typeof optionsOf>[0]) => createDatabaseServer(optionsOf(options))
  const tableDumps = {
    open: openMysqlTables,
    describe: describeMysql,
    refusals: ['ER_ACCESS_DENIED_ERROR', 'ER_DBACCESS_DENIED_ERROR'],
  }
  const account = (label: string): DatabaseAccount => {
    const name = `test_${label}_${++number}`
    return { name, user: name, password: `secret-${label}-@:/'${number}` }
  }
  const root: DatabaseAccount = { name: 'test', user: 'steward', password: 'steward' }

  beforeAll(async () => {
    server = await start()
  })
  afterAll(() => server.close())

  const subject: ServerUnderTest = {
    make,
    account,
    connect,
    content: [
      `create table rows_of_all (id bigint auto_increment primary key, t text, b mediumblob, d decimal(20, 3), n varchar(200), m datetime)`,
      `insert into rows_of_all (t, b, d, n, m) values ('Ärger 😀 "quoted" ''single'' \\\\back\\nline\\t\\nCREATE DEFINER=\`a\`@\`b\` x', x'00ff27', 12.5, null, '2026-05-06 07:08:09'), ('', repeat(char(0), 20000), -3, '123456789012345678901234567890.125', null)`,
      `insert into rows_of_all (id, t) values (90, 'last')`,
      'create view big_rows as select * from rows_of_all where d > 5',
      'create table child (id integer primary key, row_id bigint, foreign key (row_id) references rows_of_all (id) on delete restrict)',
      'insert into child values (1, 2)',
      `create function twice(n integer) returns integer deterministic return n * 2`,
      `create procedure one_more() insert into child values (2, 1)`,
      `create trigger on_child before insert on child for each row set new.id = new.id + 0`,
    ],
    shown: [
      `select id, t, hex(b) as b, d, n, m from rows_of_all order by id`,
      'select id from big_rows',
      'select * from child',
      'select twice(4)',
      `select auto_increment from information_schema.tables where table_schema = database() and table_name = 'rows_of_all'`,
      `select constraint_name, referenced_table_name, delete_rule from information_schema.referential_constraints where constraint_schema = database()`,
      `select trigger_name, action_statement from information_schema.triggers where trigger_schema = database()`,
    ],
    async startWriter(given) {
      const connection = await connect(given)
      const stopped = new AbortController()
      let written = 0
      const writing = (async () => {
        for (; !stopped.signal.aborted; written++) {
          await connection.query('begin')
          await connection.query(`insert into one values (${written}, repeat('x', 500))`)
          await connection.query(`insert into two values (${written}, 'x')`)
          await connection.query('commit')
        }
      })()
      return {
        written: async () => written,
        async stop() {
          stopped.abort()
          await writing
          await connection.close()
        },
      }
    },
    atomicRestore: false,
    needsTools: true,
    close: async () => {},
  }

  testDatabaseServer(async () => subject)

  describe('with dumps of tables', () =>
    testDatabaseServer(async () => ({
      ...subject,
      make: (options) => createTableDumpServer(optionsOf(options), tableDumps),
      atomicRestore: false,
      needsTools: false,
    })))

  describe('rights', () => {
    it('a user can use its database and nothing else, whose name is alike', async () => {
      const mine = { ...account('mine'), name: 'alike_1' }
      const other = { ...account('other'), name: 'alikex1' }
      await make().create(mine)
      await make().create(other)
      const connection = await connect(mine)
      for (const sql of ['create database more', `create user more`, 'use alikex1', 'select * from mysql.user'])
        await expect(connection.query(sql)).rejects.toMatchObject({ code: /DENIED/ })
      await connection.close()
      await make().drop(mine)
      await make().drop(other)
    })

    it('half-made ones are found and removed', async () => {
      const connection = await connect(root)
      for (const make_ of [(name: string) => `create user ${name}@'%'`, (name: string) => `create database ${name}`]) {
        const given = account('half')
        await connection.query(make_(given.name))
        expect(await make().exists(given)).toBe('partial')
        await make().drop(given)
        expect(await make().exists(given)).toBe('no')
        await connection.query(make_(given.name))
        await make().create(given)
        expect(await make().exists(given)).toBe('yes')
        await make().drop(given)
      }
      await connection.close()
    })

    it('drop() does not wait for a transaction that is open', async () => {
      const given = account('open')
      await make().create(given)
      const connection = await connect(given)
      await connection.query('create table held (n integer) engine = innodb')
      await connection.query('begin')
      await connection.query('insert into held values (1)')
      await make().drop(given)
      expect(await make().exists(given)).toBe('no')
      await connection.close().catch(() => {})
    })
  })

  describe('faults', () => {
    it('a wrong password is ERR_CREDENTIALS, of a database, too', async () => {
      await expect(make({ password: 'wrong' }).probe()).rejects.toMatchObject({ code: 'ERR_CREDENTIALS' })
      const given = account('wrong')
      await make().create(given)
      await expect(make().dump({ ...given, password: 'wrong' })).rejects.toMatchObject({ code: 'ERR_CREDENTIALS' })
      await make().drop(given)
    })

    it('a server that stops in the middle of a dump fails it, and calls are ERR_UNREACHABLE until it is back', async () => {
      const given = account('down')
      await make().create(given)
      const connection = await connect(given)
      await connection.query('create table bulk (t text)')
      for (let n = 0; n < 200; n++) await connection.query(`insert into bulk values (repeat('x', 60000))`)
      await connection.close()
      const { content, done } = await make().dump(given)
      await new Promise((resolve) => content.once('readable', resolve))
      await server.stop('SIGKILL')
      content.resume()
      await expect(done).rejects.toMatchObject({ code: 'ERR_UNREACHABLE' })
      for (const attempt of ['exists', 'create', 'drop', 'statistics'] as const)
        await expect(make()[attempt](given)).rejects.toMatchObject({ code: 'ERR_UNREACHABLE' })
      await expect(make().probe()).rejects.toMatchObject({ code: 'ERR_UNREACHABLE' })
      await expect(make().dump(given)).rejects.toMatchObject({ code: 'ERR_UNREACHABLE' })
      await server.start()
      await make().drop(given)
    })
  })

  async function connect({ name, user, password }: DatabaseAccount): Promise<TestConnection> {
    const client = await mysql.createConnection({
      host: '127.0.0.1',
      port: server.port,
      database: name,
      user,
      password,
      charset: 'utf8mb4',
    })
    client.on('error', () => {})
    return {
      query: async (sql) => (await client.query(sql))[0] as Record<string, unknown>[],
      close: () => client.end(),
    }
  }
})
