import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { needs } from '../../../../../../tests/servers/index.js'
import { openCable } from '../../../../test/server-stores.js'
import { createDatabaseServer } from '../../create-database-server.js'
import { testDatabaseServer } from '../../server/contract-suite.js'
import type { TestConnection } from '../../server/contract-suite.js'
import type { DatabaseAccount } from '../../server/database-server.js'
import type { MssqlServerLocation } from '../../server/options.js'
import { connect as connectAs } from './connect.js'

needs('mssql', (text) => {
  const url = new URL(text)
  const encryption =
    url.searchParams.get('encrypt') === 'false'
      ? 'no'
      : url.searchParams.has('trustServerCertificate')
        ? 'trust'
        : 'yes'
  const location: MssqlServerLocation = {
    host: url.hostname,
    port: Number(url.port || 1433),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    encryption,
  }
  // The server may be shared: other runs have names of their own.
  const run = randomBytes(3).toString('hex')
  let number = 0
  const make = (
    options: {
      readonly path?: string
      readonly mark?: string
      readonly password?: string
      readonly port?: number
    } = {},
  ) => createDatabaseServer({ type: 'mssql', ...location, ...options })
  const account = (label: string): DatabaseAccount => {
    const name = `test_${run}_${label}_${++number}`
    return { name, user: name, password: `Secret-${label}-@:/'${number}` }
  }
  async function connect({ name, user, password }: DatabaseAccount): Promise<TestConnection> {
    const session = await connectAs({ ...location, user, password }, name)
    return {
      query: (sql) => session.run(sql),
      close: async () => void (await session.end()),
    }
  }

  const trusts = async () =>
    make({ password: 'wrong' })
      .probe()
      .then(
        () => true,
        () => false,
      )

  testDatabaseServer(async () => ({
    trusts: await trusts(),
    make,
    account,
    connect,
    content: [
      `create table rows_of_all (id bigint identity primary key, t nvarchar(max), b varbinary(max), d decimal(20, 3), n nvarchar(200), m datetime2(3), f float, e bit default 1)`,
      `insert into rows_of_all (t, b, d, n, m, f) values (N'Ärger 😀 "quoted" ''single'' \\back' + nchar(10) + N'line', 0x00ff27, 12.5, null, '2026-05-06 07:08:09.123', 0.1), ('', convert(varbinary(max), replicate(cast('A' as varchar(max)), 20000)), -3, '123456789012345678901234567890.125', null, 1e300)`,
      `insert into rows_of_all (t) values ('last')`,
      'create view big_rows as select * from rows_of_all where d > 5',
      'create table child (id integer not null, row_id bigint not null, constraint pk_child primary key (id, row_id), constraint fk_child foreign key (row_id) references rows_of_all (id))',
      'insert into child values (1, 2)',
      'create table positions (id bigint identity(5, 5) primary key, t nvarchar(10))',
      "insert into positions (t) values ('gone')",
      'delete from positions',
      'create unique index ix_child on child (id desc)',
      `create function twice(@n integer) returns integer as begin return @n * 2 end`,
    ],
    shown: [
      `select id, t, b, convert(varchar(50), d) as d, n, convert(varchar(40), m, 121) as m, f, e from rows_of_all order by id`,
      'select id from big_rows',
      'select * from child',
      'select dbo.twice(4) as n',
      `begin transaction; insert into rows_of_all (t) output inserted.id values ('x'); rollback; dbcc checkident('rows_of_all', reseed, 3) with no_infomsgs`,
      `begin transaction; insert into positions (t) output inserted.id values ('x'); rollback; dbcc checkident('positions', reseed, 5) with no_infomsgs`,
      `select name from sys.foreign_keys`,
      `select left(name, 8) as name, is_unique, is_primary_key from sys.indexes where object_id = object_id('child') and name not like 'pk%' order by name`,
    ],
    async startWriter(given) {
      const connection = await connect(given)
      const stopped = new AbortController()
      let written = 0
      const writing = (async () => {
        for (; !stopped.signal.aborted; written++)
          await connection.query(
            `begin transaction; insert into one values (${written}, replicate('x', 500)); insert into two values (${written}, 'x'); commit`,
          )
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
    needsTools: false,
    close: async () => {},
  }))

  describe('faults', () => {
    it('a wrong password is ERR_CREDENTIALS', async (context) => {
      if (await trusts()) return context.skip('the server asks nobody for a password')
      await expect(make({ password: 'wrong' }).probe()).rejects.toMatchObject({ code: 'ERR_CREDENTIALS' })
    })

    it('a connection that is cut in the middle fails a dump', async () => {
      const cable = await openCable(text)
      const through = make({ port: Number(new URL(cable.url).port) })
      const given = account('cut')
      await make().create(given)
      try {
        const connection = await connect(given)
        await connection.query('create table large_rows (t nvarchar(max))')
        for (let n = 0; n < 20; n++)
          await connection.query(`insert into large_rows values (replicate(cast('x' as nvarchar(max)), 300000))`)
        await connection.close()
        const { content, done } = await through.dump(given)
        await new Promise((resolve) => content.once('readable', resolve))
        await cable.close()
        content.resume()
        await expect(done).rejects.toMatchObject({ code: 'ERR_UNREACHABLE' })
        await expect(through.statistics(given)).rejects.toMatchObject({ code: 'ERR_UNREACHABLE' })
      } finally {
        await make().drop(given)
      }
    }, 60_000)

    it('a server that is not there is ERR_UNREACHABLE', async () => {
      await expect(make({ port: 1 }).probe()).rejects.toMatchObject({ code: 'ERR_UNREACHABLE' })
    })
  })
})
