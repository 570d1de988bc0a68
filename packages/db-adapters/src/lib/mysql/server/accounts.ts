import type { DatabaseAccount } from '../../server/database-server.js'
import type { AccountMarks } from '../../server/marking.js'
import type { RunSql } from '../../server/sql-sessions.js'

/** Names are checked; see `checkAccount`. */
export async function existsAccount(run: RunSql, { name, user }: DatabaseAccount): Promise<'no' | 'partial' | 'yes'> {
  const [found] = await run(
    `select exists (select 1 from information_schema.schemata where schema_name = ?) as has_database,
       exists (select 1 from mysql.user where User = ?) as has_user,
       exists (select 1 from mysql.db where User = ? and Db = ?) as has_rights`,
    [name, user, user, pattern(name)],
  )
  const parts = [found?.['has_database'], found?.['has_user'], found?.['has_rights']].map(Number)
  if (parts.every((part) => part === 1)) return 'yes'
  return parts.every((part) => part === 0) ? 'no' : 'partial'
}

/** The user may do everything in the database, nothing beside it, and comes from where we come from. */
export async function createAccount(run: RunSql, { name, user, password }: DatabaseAccount): Promise<void> {
  const account = [user, await hostOf(run)]
  await run(`create database if not exists \`${name}\` character set utf8mb4`)
  await run('create user if not exists ?@? identified by ?', [...account, password])
  await run('alter user ?@? identified by ?', [...account, password])
  await run(`grant all privileges on \`${pattern(name)}\`.* to ?@?`, account)
}

export async function dropAccount(run: RunSql, { name, user }: DatabaseAccount): Promise<void> {
  const hosts = await run('select Host as host from mysql.user where User = ?', [user])
  for (const { host } of hosts) await run('drop user if exists ?@?', [user, host])
  // Open transactions would keep the tables.
  const sessions = await run(
    'select id from information_schema.processlist where (user = ? or db = ?) and id <> connection_id()',
    [user, name],
  )
  for (const { id } of sessions) await kill(run, Number(id))
  await run(`drop database if exists \`${name}\``)
}

/** Removes what is in the database; the user keeps the rights. */
export async function emptyDatabase(run: RunSql, { name }: DatabaseAccount): Promise<void> {
  await run(`drop database if exists \`${name}\``)
  await run(`create database \`${name}\` character set utf8mb4`)
}

/**
 * MySQL keeps comments of users (from 8.0.21), MariaDB those of databases (from 10.5), which their user can change. Older
 * ones keep none. Sources: https://dev.mysql.com/doc/refman/8.4/en/create-user.html#create-user-comments-attributes,
 * https://mariadb.com/docs/server/reference/sql-statements/data-definition/create/create-database#comment
 */
export const mysqlMarks: AccountMarks = {
  async comments(run, { name, user }) {
    const kept = await commented(run)
    if (kept.size === 0) return undefined
    const ofDatabase = kept.has('schemata')
      ? await run('select schema_comment as comment from information_schema.schemata where schema_name = ?', [name])
      : []
    const ofUser = kept.has('user_attributes')
      ? await run(`select attribute->>'$.comment' as comment from information_schema.user_attributes where user = ?`, [
          user,
        ])
      : []
    return [...ofDatabase, ...ofUser].map(({ comment }) => comment)
  },
  async write(run, { name, user }, mark) {
    const kept = await commented(run)
    if (kept.has('schemata')) {
      const there = await run('select 1 from information_schema.schemata where schema_name = ?', [name])
      if (there.length > 0) await run(`alter database \`${name}\` comment = ?`, [mark])
    }
    if (!kept.has('user_attributes')) return
    const hosts = await run('select Host as host from mysql.user where User = ?', [user])
    for (const { host } of hosts) await run('alter user ?@? comment ?', [user, host, mark])
  },
}

/** The tables of the server that show comments, in lower case. */
async function commented(run: RunSql): Promise<ReadonlySet<string>> {
  const tables = await run(
    `select table_name as name from information_schema.columns where table_schema = 'information_schema'
     and (table_name = 'SCHEMATA' and column_name = 'SCHEMA_COMMENT'
       or table_name = 'USER_ATTRIBUTES' and column_name = 'ATTRIBUTE')`,
  )
  return new Set(tables.map(({ name }) => String(name).toLowerCase()))
}

/** In grants names are patterns: `_` stands for any character. */
function pattern(name: string): string {
  return name.replaceAll('_', '\\_')
}

/** From the same machine as this one, as the server sees it; from another one addresses may change. */
async function hostOf(run: RunSql): Promise<string> {
  const [found] = await run(`select substring_index(user(), '@', -1) as host`)
  const host = String(found?.['host'])
  return ['localhost', '127.0.0.1', '::1'].includes(host) ? host : '%'
}

async function kill(run: RunSql, id: number): Promise<void> {
  try {
    await run(`kill ${id}`)
  } catch (error) {
    // 1094: Unknown thread id: it has ended meanwhile.
    if ((error as { errno?: number }).errno !== 1094) throw error
  }
}
