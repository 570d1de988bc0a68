import { beforeEach } from 'vitest'
import { freshDatabase } from './database.js'
import { openMssql, type MssqlClient } from './mssql.js'

/** What SQL Server does, and some other servers that speak its protocol do not. */
interface Lack {
  readonly reason: string
  /** Tries it in an empty database. */
  readonly lacks: (client: MssqlClient, second: MssqlClient) => Promise<boolean>
  /** Names of the tests that need it, with that of their group where others have the same. */
  readonly tests: readonly string[]
}

const bin2 = 'collate Latin1_General_100_BIN2'

const known: readonly Lack[] = [
  {
    reason: 'This server cannot change the length of a text that has a collation.',
    async lacks({ rows }) {
      await rows(`create table altered (a nvarchar(10) ${bin2} null)`)
      return fails(rows(`alter table altered alter column a nvarchar(20) ${bin2} null`))
    },
    tests: [
      'goes along when a table is renamed, a column changes, a reference is added',
      'a column becomes wider and keeps its values',
      'names that need quoting are taken as they are',
      'indexes, foreign keys and rows of the owner of a mapped table are left alone',
      'servers that sync at the same time do it once, and all succeed',
      'any model follows any other, or is refused as a whole; rows and row ids stay',
    ],
  },
  {
    reason: 'This server gives indexes other names than the statement does.',
    async lacks({ rows }) {
      await rows('create table indexed (a int)')
      await rows('create index index_of_a on indexed (a)')
      return (await rows(`select 1 as found from sys.indexes where name = N'index_of_a'`)).length === 0
    },
    tests: [
      'a column that no field uses is reported and kept, and dropped only when asked for',
      'indexes, unique fields and functional keys follow the model',
      'a key field that is no longer in the model does not hinder writing',
      'a name that the database would cut is refused',
      'column changes that lose nothing keep values, indexes and rules',
      'an index of a renamed table does not hinder a new table of the old name',
    ],
  },
  {
    reason: 'This server does not lock the rows that are read with "updlock".',
    async lacks({ rows }, second) {
      await rows('create table locked (a int primary key)')
      await rows('insert into locked values (1)')
      await rows('begin transaction')
      await rows('select a from locked with (updlock, rowlock) where a = 1')
      await second.rows('set lock_timeout 100')
      const free = !(await fails(second.rows('update locked set a = a where a = 1')))
      await rows('rollback transaction')
      return free
    },
    tests: [
      'a lock takes the record, and not what it refers to',
      'a lock reads what is there when it is granted',
      'a record that is locked for deletion cannot be referred to',
      'waiting for a row that is locked ends with "busy"',
      'concurrent transactions that read with a lock and write lose nothing',
    ],
  },
  {
    reason: 'This server has no number of its own for the error of a table or a column that is missing.',
    lacks: async ({ rows }) => (await numberOf(rows('select a from missing'))) !== 208,
    tests: [
      'is a StoreError "schema" where sync has not been',
      'plan changes nothing, and a table that is not there is a StoreError "schema"',
      'that are missing, or miss a column, say so',
    ],
  },
  {
    reason: 'This server takes the text 12.5 for the number 0.',
    async lacks({ rows }) {
      const [row] = await rows(`select cast(try_cast(N'12.5' as decimal(9, 2)) as nvarchar(20)) as number`)
      return row?.['number'] !== '12.50'
    },
    tests: [
      'numbers, booleans and dates become texts, and texts longer than the field are cut',
      'a plan with rows counts what a destructive sync would drop, cut, round or empty, under the names of now',
    ],
  },
  {
    reason: 'This server does not quote the columns in the definition of a CHECK constraint.',
    async lacks({ rows }) {
      await rows('create table checked (a int, constraint a_is_small check (a < 10))')
      const found = await rows(`select definition from sys.check_constraints where name = N'a_is_small'`)
      return !found.some(({ definition }) => /\[a\]|"a"/.test(String(definition)))
    },
    tests: ['a CHECK constraint is named with its fields', 'so is the rule of a domain'],
  },
  {
    reason: 'This server does not tell the column of a text that is too long, as SQL Server does from 2019 on.',
    async lacks({ rows }) {
      await rows('create table short (a nvarchar(2))')
      return (await numberOf(rows(`insert into short values (N'long')`))) !== 2628
    },
    tests: ['a value beyond its column is reported as too long, or as out of range'],
  },
  {
    reason: 'This server does not end the session of another client by "kill".',
    async lacks({ rows }, second) {
      const [own] = await second.rows('select @@spid as id')
      const sessions = 'select session_id as id from sys.dm_exec_sessions where database_id = db_id()'
      const found = (await rows(sessions)).map(({ id }) => String(id))
      return !found.includes(String(own?.['id']))
    },
    tests: ['fail with "unavailable" when their connection is lost on the way'],
  },
  {
    reason: 'This server cannot check a reference by a text that has a collation.',
    async lacks({ rows }) {
      await rows(`create table referred (a nvarchar(10) ${bin2} primary key)`)
      await rows(`create table referring (a nvarchar(10) ${bin2} references referred (a))`)
      await rows(`insert into referred values (N'a')`)
      return fails(rows(`insert into referring values (N'a')`))
    },
    tests: [
      'keys of several fields > a deleted row takes along, empties or keeps what refers to it',
      'keys of several fields > a row that refers to its own table is given back whole',
      'rows are found by words, the same ones by row id',
      'no answer depends on a value that the user cannot get from the record itself',
      'finds rows of tables with ids of their own, best first, then by these',
    ],
  },
  {
    reason: 'This server takes the column "$1" for a parameter.',
    lacks: ({ rows }) => fails(rows('select "$1" from (select 1 as "$1") t where "$1" = @p1', ['1'])),
    tests: ['columns of any name are served'],
  },
  {
    reason: 'SQL Server takes keys that differ only by blanks at the end for the same.',
    async lacks({ rows }) {
      await rows(`create table padded (a nvarchar(10) ${bin2} primary key)`)
      await rows(`insert into padded values (N'a')`)
      return fails(rows(`insert into padded values (N'a ')`))
    },
    tests: ['keys differ by blanks at the end'],
  },
  {
    reason: 'The store itself deletes such rows, since SQL Server refuses the rule: no server has one to give back.',
    lacks: async () => true,
    tests: ['a reference to the own table that deletes along comes back'],
  },
]

/** Skips the tests of the surrounding group that need what the server lacks; each reason is tried once a file. */
export function skipWhatIsLacking(url: string): void {
  const tried = new Map<Lack, Promise<boolean>>()
  beforeEach(async ({ task, skip }) => {
    const name = ` > ${[task.suite?.name, task.name].join(' > ')}`
    for (const lack of known.filter(({ tests }) => tests.some((test) => name.endsWith(` > ${test}`)))) {
      if (!tried.has(lack)) tried.set(lack, tryIn(url, lack))
      if (await tried.get(lack)) skip(lack.reason)
    }
  }, 60_000)
}

async function tryIn(url: string, { lacks }: Lack): Promise<boolean> {
  const database = await freshDatabase(url)
  const clients = await Promise.all([openMssql(database.url), openMssql(database.url)])
  try {
    return await lacks(...clients)
  } finally {
    await Promise.all(clients.map((client) => client.close()))
    await database.drop()
  }
}

interface Failure {
  readonly number?: number
  readonly message: string
  readonly errors?: readonly Failure[]
}

async function failureOf(work: Promise<unknown>): Promise<Failure> {
  const error = await work.then(
    (): Failure => ({ message: '' }),
    (reason: unknown) => reason as Failure,
  )
  return error.errors?.[0] ?? error
}

const fails = async (work: Promise<unknown>): Promise<boolean> => (await failureOf(work)).message !== ''
const numberOf = async (work: Promise<unknown>): Promise<number | undefined> => (await failureOf(work)).number
