import { setTimeout } from 'node:timers/promises'
import { DatabaseServerError } from '../../server/database-server.js'
import type { DatabaseAccount } from '../../server/database-server.js'
import type { AccountMarks } from '../../server/marking.js'
import type { RunSql } from '../../server/sql-sessions.js'
import { translateError } from './errors.js'
import { quote, text } from './text.js'

/** Runs statements in a database, as who may make databases. */
export type RunIn = <T>(database: string, work: (run: RunSql) => Promise<T>) => Promise<T>

/**
 * The fixed roles that read, write, and make tables. A login does not own its database: an owner could also change its
 * settings, drop it and let others in.
 */
const roles = ['db_ddladmin', 'db_datareader', 'db_datawriter'] as const
/** What these roles do not have: references between tables, and code of the application. */
const permissions = ['references', 'execute', 'view definition'] as const
/** What a role has that a user must not have: these triggers run with the rights of who changes a table, or a mark. */
const denied = 'alter any database ddl trigger'

/** The extended property that holds the mark. */
const property = 'steward'

/** Names are checked; see `checkAccount`. */
export function createAccounts(runIn: RunIn) {
  let turn: Promise<unknown> = Promise.resolve()
  return {
    exists,
    create: (run: RunSql, account: DatabaseAccount) => inTurn(() => create(run, account)),
    drop: (run: RunSql, account: DatabaseAccount) => inTurn(() => dropAccount(run, account)),
    empty: (run: RunSql, account: DatabaseAccount) =>
      inTurn(async () => {
        await dropAccount(run, account)
        await create(run, account)
      }),
    marks: { comments, write } satisfies AccountMarks,
  }

  /** Databases are copies of one, which is locked while it is copied: several at once are in each other's way. */
  function inTurn(work: () => Promise<void>): Promise<void> {
    const done = turn.then(() => repeatedly(work))
    turn = done.catch(() => {})
    return done
  }

  async function exists(run: RunSql, { name, user }: DatabaseAccount): Promise<'no' | 'partial' | 'yes'> {
    const [found] = await run(
      `select (select count(*) from sys.databases where name = @p1) as databases,
         (select count(*) from sys.server_principals where name = @p2) as logins`,
      [name, user],
    )
    const [databases, logins] = [Number(found?.['databases']), Number(found?.['logins'])]
    if (databases + logins === 0) return 'no'
    return databases === 1 && logins === 1 && (await mayUse(run, { name, user })) ? 'yes' : 'partial'
  }

  async function create(run: RunSql, account: DatabaseAccount): Promise<void> {
    const { name, user } = account
    await setPassword(run, account)
    if (!(await isThere(run, name))) await patiently(() => run(`create database ${quote(name)}`))
    await allowSnapshots(run, name)
    if (!(await runIn(name, (inside) => letIn(inside, user))))
      await run(`alter authorization on database::${quote(name)} to ${quote(user)}`)
  }

  /** The database carries it; logins have no comments. The roles of its user do not let it change this one. */
  async function comments(run: RunSql, { name }: DatabaseAccount): Promise<readonly unknown[] | undefined> {
    if (!(await isThere(run, name))) return []
    const sql = `select cast(value as nvarchar(4000)) as comment from sys.extended_properties where class = 0 and name = @p1`
    const found = await runIn(name, (inside) => ifUnderstood(inside(sql, [property])))
    return found?.map(({ comment }) => comment)
  }

  async function write(run: RunSql, account: DatabaseAccount, mark: string): Promise<void> {
    if (!(await isThere(run, account.name))) return
    const isMarked = (await comments(run, account))?.length
    const procedure = isMarked ? 'sp_updateextendedproperty' : 'sp_addextendedproperty'
    const sql = `exec ${procedure} @name = ${text(property)}, @value = ${text(mark)}`
    await runIn(account.name, (inside) => ifUnderstood(inside(sql)))
  }

  async function mayUse(run: RunSql, { name, user }: Pick<DatabaseAccount, 'name' | 'user'>): Promise<boolean> {
    const [found] = await run(
      'select count(*) as owned from sys.databases where name = @p1 and owner_sid = suser_sid(@p2)',
      [name, user],
    )
    return Number(found?.['owned']) > 0 || runIn(name, (inside) => hasUser(inside, user))
  }
}

async function isThere(run: RunSql, name: string): Promise<boolean> {
  const [found] = await run('select count(*) as databases from sys.databases where name = @p1', [name])
  return Number(found?.['databases']) > 0
}

async function hasUser(run: RunSql, user: string): Promise<boolean> {
  const [found] = await run(
    `select count(*) as users from sys.database_principals u join sys.server_principals l on l.sid = u.sid
     where u.name = @p1 and l.name = @p1`,
    [user],
  )
  return Number(found?.['users']) > 0
}

async function setPassword(run: RunSql, { user, password }: DatabaseAccount): Promise<void> {
  const [found] = await run('select count(*) as logins from sys.server_principals where name = @p1', [user])
  const verb = Number(found?.['logins']) === 0 ? 'create' : 'alter'
  try {
    await run(`${verb} login ${quote(user)} with password = ${text(password)}`)
  } catch (error) {
    // A server that does not understand a statement shows a part of it.
    const { message } = error as Error
    if (message.includes(password) || message.includes(text(password).slice(2, -1)))
      throw new DatabaseServerError('ERR_FAILED', `SQL Server: the login "${user}" cannot be made.`)
    throw error
  }
}

/** Not specified; chosen as longer than it takes to make some databases. */
const attempts = 40
const pauseMs = 500
const mostRepeated = 4

/**
 * Other processes change accounts, too, and not every server makes them wait for each other. What was done by then is
 * found the next time.
 */
async function repeatedly(work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++)
    try {
      return await work()
    } catch (error) {
      const isKnown = (translateError(error) as { readonly code?: string }).code !== 'ERR_FAILED'
      const isOfServer = (error as { readonly number?: number }).number !== undefined
      if (isKnown || !isOfServer || attempt === mostRepeated) throw error
      await setTimeout(pauseMs)
    }
}

/** Other processes may make databases, too. */
async function patiently(statement: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++)
    try {
      await statement()
      return
    } catch (error) {
      const { number } = error as { number?: number }
      // 1205: was deadlocked, 1807: Could not obtain exclusive lock on database 'model', 5061: a lock could not be placed
      if (![1205, 1807, 5061].includes(number ?? 0) || attempt === attempts) throw error
      await setTimeout(pauseMs)
    }
}

/** So that readers do not wait for writers, and a dump sees one state. Some servers always do so, and take no orders. */
async function allowSnapshots(run: RunSql, name: string): Promise<void> {
  const [found] = await run(
    'select is_read_committed_snapshot_on as committed, snapshot_isolation_state as state from sys.databases where name = @p1',
    [name],
  )
  if (!found?.['committed'])
    await ifUnderstood(run(`alter database ${quote(name)} set read_committed_snapshot on with rollback immediate`))
  if (Number(found?.['state']) === 0)
    await ifUnderstood(run(`alter database ${quote(name)} set allow_snapshot_isolation on`))
}

/** @returns false on a server that does not have the roles: there the login can only own its database. */
async function letIn(run: RunSql, user: string): Promise<boolean> {
  const known = await run('select name from sys.database_principals where is_fixed_role = 1')
  const names = new Set(known.map(({ name }) => String(name)))
  if (!roles.every((role) => names.has(role))) return false
  if (!(await hasUser(run, user))) {
    // One of a login that was dropped since.
    await run(`drop user if exists ${quote(user)}`)
    await run(`create user ${quote(user)} for login ${quote(user)}`)
  }
  for (const role of roles) await run(`alter role ${role} add member ${quote(user)}`)
  for (const each of permissions) await run(`grant ${each} to ${quote(user)}`)
  await run(`deny ${denied} to ${quote(user)}`)
  return true
}

async function dropAccount(run: RunSql, { name, user }: DatabaseAccount): Promise<void> {
  const hasDatabase = await isThere(run, name)
  if (hasDatabase) await ifUnderstood(run(`alter database ${quote(name)} set single_user with rollback immediate`))
  await endSessions(run, name, user)
  if (hasDatabase) await patiently(() => run(`drop database if exists ${quote(name)}`))
  const [left] = await run('select count(*) as logins from sys.server_principals where name = @p1', [user])
  if (Number(left?.['logins']) > 0) await run(`drop login ${quote(user)}`)
}

/** A session that was ended is there until its transaction is undone. */
async function endSessions(run: RunSql, name: string, user: string): Promise<void> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const sessions = await run(
      `select session_id as id from sys.dm_exec_sessions
       where session_id is not null and session_id <> @@spid and (login_name = @p2 or database_id = db_id(@p1))`,
      [name, user],
    )
    if (sessions.length === 0) return
    // It may have ended meanwhile.
    for (const { id } of sessions) await ifUnderstood(run(`kill ${Number(id)}`))
    await setTimeout(attempt === 0 ? 0 : pauseMs)
  }
}

/** Statements that not every server has, or that have nothing to do any more. Only a lost connection is an error. */
async function ifUnderstood<T>(statement: Promise<T>): Promise<T | undefined> {
  try {
    return await statement
  } catch (error) {
    if ((error as { number?: number }).number === undefined) throw error
    return undefined
  }
}
