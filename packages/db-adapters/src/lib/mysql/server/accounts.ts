import type { DatabaseAccount } from '../../server/database-server.js'
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
