import { describe, expect, it } from 'vitest'
import { createCheck } from '../../../../test/grammar.js'
import { changedSince, extent, statistics } from '../../server/sql-contents.js'
import type { RunSql } from '../../server/sql-sessions.js'
import { createAccounts } from './accounts.js'
import { mssqlContents } from './contents.js'
import { describeMssql } from './describe.js'
import { translateError } from './errors.js'

type Rows = readonly Record<string, unknown>[]

const account = { name: 'steward_a1', user: 'steward_a1', password: 'it\'s [a] "password"' }

/** Statements that were run, and what they are answered with. */
function fake(answers: (sql: string) => Rows | Error | undefined = () => undefined) {
  const statements: string[] = []
  const run: RunSql = async (sql) => {
    statements.push(sql)
    const found = answers(sql) ?? []
    if (found instanceof Error) throw found
    return [...found]
  }
  return { statements, run, accounts: createAccounts((_, work) => work(run)) }
}

const roles = ['db_ddladmin', 'db_datareader', 'db_datawriter', 'db_owner'].map((name) => ({ name }))
const refusal = (number: number, message = 'refused') => Object.assign(new Error(message), { number })

/** A server without this database, or with it. */
const server = (isThere: boolean) => (sql: string) => {
  if (sql.includes('as databases') && sql.includes('as logins'))
    return [{ databases: Number(isThere), logins: Number(isThere) }]
  if (sql.includes('as databases')) return [{ databases: Number(isThere) }]
  if (sql.includes('as logins')) return [{ logins: Number(isThere) }]
  if (sql.includes('as users')) return [{ users: Number(isThere) }]
  if (sql.includes('as state')) return [{ committed: false, state: 0 }]
  return sql.includes('is_fixed_role') ? roles : undefined
}

/** The catalogue of a database with two tables of several kinds of columns. */
function catalogue(sql: string): Rows | undefined {
  const column = (object_id: number, name: string, type_name: string, more: object = {}) => ({
    object_id,
    name,
    type_name,
    max_length: 100,
    precision: 20,
    scale: 3,
    collation_name: null,
    is_nullable: true,
    is_identity: false,
    is_computed: false,
    is_rowguidcol: false,
    is_user_defined: false,
    default_name: null,
    computed: null,
    ...more,
  })
  if (sql.includes('from sys.columns c\n    join sys.tables'))
    return [
      column(1, 'id', 'bigint', { is_identity: true, is_nullable: false, seed: '5', step: '5', last: '20' }),
      column(1, 'na]me', 'nvarchar', {
        collation_name: 'Latin1_General_100_BIN2',
        default_name: 'df',
        default_definition: "('x')",
      }),
      column(1, 'price', 'decimal'),
      column(1, 'at', 'datetime2'),
      column(1, 'twice', 'int', { is_computed: true, computed: '([price]*(2))', is_persisted: true }),
      column(1, 'stamp', 'timestamp'),
      column(1, 'place', 'geography'),
      column(1, 'more', 'varbinary', { max_length: -1 }),
      column(1, 'rate', 'float'),
      column(1, 'paid', 'money'),
      column(2, 'company', 'bigint'),
      column(2, 'text', 'xml'),
    ]
  if (sql.startsWith('select t.object_id'))
    return [
      { object_id: 1, schema_name: 'dbo', table_name: 'company' },
      { object_id: 2, schema_name: 'own', table_name: 'note' },
    ]
  if (sql.includes('from sys.indexes c'))
    return [
      { object_id: 1, index_id: 1, name: 'pk', type_desc: 'CLUSTERED', is_unique: true, is_primary_key: true },
      { object_id: 1, index_id: 2, name: 'uq', type_desc: 'NONCLUSTERED', is_unique: true, is_unique_constraint: true },
      {
        object_id: 1,
        index_id: 3,
        name: 'ix',
        type_desc: 'NONCLUSTERED',
        is_unique: true,
        filter_definition: '([price] IS NOT NULL)',
      },
    ]
  if (sql.includes('from sys.index_columns'))
    return [
      { object_id: 1, index_id: 1, name: 'id' },
      { object_id: 1, index_id: 2, name: 'na]me' },
      { object_id: 1, index_id: 3, name: 'price', is_descending_key: true },
      { object_id: 1, index_id: 3, name: 'at', is_included_column: true },
    ]
  if (sql.includes('from sys.foreign_keys'))
    return [
      {
        object_id: 9,
        name: 'fk',
        schema_name: 'own',
        table_name: 'note',
        target_schema: 'dbo',
        target_table: 'company',
        column_name: 'company',
        target_column: 'id',
        on_delete: 'SET_NULL',
        on_update: 'NO_ACTION',
      },
    ]
  if (sql.includes('from sys.check_constraints'))
    return [{ name: 'ck', definition: '([price]>(0))', schema_name: 'dbo', table_name: 'company' }]
  if (sql.includes('from sys.sequences'))
    return [
      {
        schema_name: 'dbo',
        table_name: 'numbers',
        type_name: 'bigint',
        start_value: '1',
        step: '2',
        lowest: '1',
        highest: '99',
        position: '7',
        is_cycling: false,
      },
    ]
  if (sql.includes('from sys.extended_properties'))
    return [{ value: "it's", schema_name: 'dbo', table_name: 'company', column_name: 'price' }]
  if (sql.includes('from sys.sql_modules')) return [{ definition: 'create view v as select 1 as one', name: 'v' }]
  if (sql.startsWith('select name from sys.schemas')) return [{ name: 'own' }]
  if (sql.includes('as columns')) return [{ columns: 1 }]
  return undefined
}

describe('accounts', () => {
  it('are logins that may use their database, and do not own it', async () => {
    const { accounts, run, statements } = fake(server(false))
    await accounts.create(run, account)
    expect(statements.filter((sql) => !sql.startsWith('select'))).toEqual([
      `create login [steward_a1] with password = N'it''s [a] "password"'`,
      'create database [steward_a1]',
      'alter database [steward_a1] set read_committed_snapshot on with rollback immediate',
      'alter database [steward_a1] set allow_snapshot_isolation on',
      'drop user if exists [steward_a1]',
      'create user [steward_a1] for login [steward_a1]',
      'alter role db_ddladmin add member [steward_a1]',
      'alter role db_datareader add member [steward_a1]',
      'alter role db_datawriter add member [steward_a1]',
      'grant references to [steward_a1]',
      'grant execute to [steward_a1]',
      'grant view definition to [steward_a1]',
      'deny alter any database ddl trigger to [steward_a1]',
    ])
  })

  it('own their database on a server without these roles', async () => {
    const { accounts, run, statements } = fake((sql) => (sql.includes('is_fixed_role') ? [] : server(true)(sql)))
    await accounts.create(run, account)
    expect(statements.at(-1)).toBe('alter authorization on database::[steward_a1] to [steward_a1]')
  })

  it('never show a password', async () => {
    const { accounts, run } = fake((sql) =>
      sql.startsWith('create login')
        ? refusal(102, `Incorrect syntax near '${account.password}'.`)
        : server(false)(sql),
    )
    const failed = (await accounts.create(run, account).catch((error: Error) => error)) as Error
    expect(failed.message).toBe('SQL Server: the login "steward_a1" cannot be made.')
    expect(failed.cause).toBeUndefined()
  })

  it('are made though the database that is copied is in use for a while', async () => {
    let refusals = 2
    const { accounts, run, statements } = fake((sql) =>
      sql.startsWith('create database') && refusals-- > 0 ? refusal(1807) : server(false)(sql),
    )
    await accounts.create(run, account)
    expect(statements.filter((sql) => sql.startsWith('create database'))).toHaveLength(3)
  })

  it('are repeated from where another session was in the way, but not for ever', async () => {
    let refusals = 1
    const { accounts, run, statements } = fake((sql) =>
      sql.startsWith('alter role') && refusals-- > 0 ? refusal(50_000, 'changed concurrently') : server(false)(sql),
    )
    await accounts.create(run, account)
    expect(statements.filter((sql) => sql === 'alter role db_ddladmin add member [steward_a1]')).toHaveLength(2)
    const never = fake((sql) => (sql.startsWith('create database') ? refusal(50_000) : server(false)(sql)))
    await expect(never.accounts.create(never.run, account)).rejects.toThrow('refused')
    const forbidden = fake((sql) => (sql.startsWith('create database') ? refusal(262) : server(false)(sql)))
    await expect(forbidden.accounts.create(forbidden.run, account)).rejects.toThrow('refused')
    expect(forbidden.statements.filter((sql) => sql.startsWith('create database'))).toHaveLength(1)
  })

  it('drop() ends every session first', async () => {
    const sessions = [{ id: 51 }, { id: 52 }]
    const { accounts, run, statements } = fake((sql) => {
      if (sql.includes('dm_exec_sessions')) return sessions.splice(0)
      return sql === 'kill 52' ? refusal(6106) : server(true)(sql)
    })
    await accounts.drop(run, account)
    expect(statements.filter((sql) => !sql.startsWith('select'))).toEqual([
      'alter database [steward_a1] set single_user with rollback immediate',
      'kill 51',
      'kill 52',
      'drop database if exists [steward_a1]',
      'drop login [steward_a1]',
    ])
  })
})

describe('what a database holds', () => {
  it('is described as statements that create it again', async () => {
    const { run } = fake(catalogue)
    const { before, tables, after } = await describeMssql(run)
    expect(before).toEqual([
      'create schema [own]',
      'create sequence [dbo].[numbers] as bigint start with 9 increment by 2 minvalue 1 maxvalue 99 no cycle',
    ])
    const [company, note] = tables
    expect(company?.before).toEqual([
      'create table [dbo].[company] ([id] bigint identity(5, 5) not null, ' +
        "[na]]me] nvarchar(50) collate Latin1_General_100_BIN2 null constraint [df] default ('x'), " +
        '[price] decimal(20, 3) null, [at] datetime2(3) null, [twice] as ([price]*(2)) persisted, [stamp] rowversion null, ' +
        '[place] geography null, [more] varbinary(max) null, [rate] float null, [paid] money null, ' +
        'constraint [pk] primary key clustered ([id]))',
      'set identity_insert [dbo].[company] on',
    ])
    expect(company?.after).toEqual([
      'set identity_insert [dbo].[company] off',
      "if exists (select 1 from [dbo].[company]) dbcc checkident ('[dbo].[company]', reseed, 20) else dbcc checkident ('[dbo].[company]', reseed, 25)",
    ])
    expect(company?.columns.map(({ column }) => column)).not.toContain('[twice]')
    expect(company?.columns.map(({ column }) => column)).not.toContain('[stamp]')
    expect(note).toMatchObject({ table: 'own.note', into: '[own].[note]', after: [] })
    expect(after).toEqual([
      'alter table [dbo].[company] add constraint [uq] unique nonclustered ([na]]me])',
      'create unique nonclustered index [ix] on [dbo].[company] ([price] desc) include ([at]) where ([price] IS NOT NULL)',
      'alter table [dbo].[company] add constraint [ck] check ([price]>(0))',
      'alter table [own].[note] add constraint [fk] foreign key ([company]) references [dbo].[company] ([id]) on delete set null on update no action',
      "exec sp_addextendedproperty N'MS_Description', N'it''s', N'SCHEMA', N'dbo', N'TABLE', N'company', N'COLUMN', N'price'",
      'create view v as select 1 as one',
    ])
  })

  it('is refused when it is something that a dump does not hold', async () => {
    const columnOf = (type: string, more: object) => (sql: string) =>
      sql.includes('from sys.columns c\n    join sys.tables')
        ? [{ object_id: 1, name: 'odd', type_name: type, ...more }]
        : catalogue(sql)
    for (const refused of [columnOf('sql_variant', {}), columnOf('phone', { is_user_defined: true })])
      await expect(describeMssql(fake(refused).run)).rejects.toThrow(/\[odd\] has the type/)
    const encrypted = fake((sql) =>
      sql.includes('sys.sql_modules') ? [{ definition: null, name: 'p' }] : catalogue(sql),
    )
    await expect(describeMssql(encrypted.run)).rejects.toThrow('the text of "p" is encrypted')
  })
})

it.each([
  [{ number: 18456 }, 'ERR_CREDENTIALS'],
  [{ number: 262 }, 'ERR_CREDENTIALS'],
  [{ number: 4060 }, 'ERR_NOT_FOUND'],
  [{ number: 1801 }, 'ERR_EXISTS'],
  [{ number: 1105 }, 'ERR_DISK_FULL'],
  [{ number: 9002 }, 'ERR_DISK_FULL'],
  [{ code: 'ESOCKET' }, 'ERR_UNREACHABLE'],
  [{ code: 'ECONNRESET' }, 'ERR_UNREACHABLE'],
  [{ code: 'ECONNCLOSED' }, 'ERR_UNREACHABLE'],
  [{ code: 'ELOGIN' }, 'ERR_CREDENTIALS'],
  [{ code: 'ELOGIN', number: 4060 }, 'ERR_NOT_FOUND'],
  [{ number: 208 }, 'ERR_FAILED'],
])('an error with %o is %s', (of, code) => {
  expect(translateError(Object.assign(new Error('x'), of))).toMatchObject({ name: 'DatabaseServerError', code })
})

describe('the mark', () => {
  const marks = (kept: string | undefined, isThere = true) => {
    let property = kept
    const given = fake((sql) => {
      if (sql.includes('sys.extended_properties')) return property === undefined ? [] : [{ comment: property }]
      property = /extendedproperty .*@value = N'([^']+)'/.exec(sql)?.[1] ?? property
      return server(isThere)(sql)
    })
    return { ...given, table: given.accounts.marks }
  }

  it.each([
    ['is added', undefined, 'exec sp_addextendedproperty'],
    ['takes the place of another one', 'Steward /srv/others 3c4d', 'exec sp_updateextendedproperty'],
  ])('%s as a property of the database', async (_, kept, statement) => {
    const { run, table, statements } = marks(kept)
    expect(await table.comments(run, account)).toEqual(kept === undefined ? [] : [kept])
    await table.write(run, account, 'Steward /srv/ours 1a2b')
    expect(statements.at(-1)).toContain(statement)
    expect(await table.comments(run, account)).toEqual(['Steward /srv/ours 1a2b'])
  })

  it('is not looked for without a database, and none is kept by a server that has no such properties', async () => {
    const { run, table, statements } = marks('Steward /srv/others 3c4d', false)
    expect(await table.comments(run, account)).toEqual([])
    await table.write(run, account, 'Steward /srv/ours 1a2b')
    expect(statements.filter((sql) => sql.includes('extended'))).toEqual([])
    const without = fake((sql) => (sql.includes('extended') ? refusal(208) : server(true)(sql)))
    expect(await without.accounts.marks.comments(without.run, account)).toBeUndefined()
    await without.accounts.marks.write(without.run, account, 'Steward /srv/ours 1a2b')
  })
})

it('every statement is one of T-SQL by its grammar', async () => {
  const check = createCheck('tsql')
  const all: string[] = []
  for (const isThere of [false, true]) {
    const sessions = [{ id: 51 }]
    const { accounts, run, statements } = fake((sql) =>
      sql.includes('dm_exec_sessions') ? sessions.splice(0) : server(isThere)(sql),
    )
    await accounts.exists(run, account)
    await accounts.create(run, account)
    await accounts.marks.write(run, account, 'Steward /srv/ours 1a2b')
    await accounts.drop(run, account)
    all.push(...statements)
  }
  const { run, statements } = fake(catalogue)
  const { before, tables, after } = await describeMssql(run)
  all.push(...before, ...after)
  for (const table of tables) {
    const values = table.columns.map(({ write = '?' }) => write.replace('?', '@p1')).join(', ')
    all.push(...table.before, ...table.after)
    all.push(`select ${table.columns.map(({ read }) => read).join(', ')} from ${table.into}`)
    all.push(`insert into ${table.into} (${table.columns.map(({ column }) => column).join(', ')}) values (${values})`)
  }
  await mssqlContents.isEmpty(run)
  await extent(run, mssqlContents)
  await statistics(run, mssqlContents)
  await changedSince(run, { time: '2026-11-21 03:00:00', columns: { company: 'at' } }, mssqlContents)
  all.push(...statements)
  // The grammar has no statement deny, which is written as grant is, and of such triggers not this permission.
  const granted = (sql: string) => sql.replace(/^deny alter any database ddl trigger to/, 'grant alter to')
  const own = [...new Set(all.map(granted))]
  expect(own.length).toBeGreaterThan(50)
  expect(own.map(check).filter((problem) => problem !== undefined)).toEqual([])
})
