import type { DatabaseAccount } from '../../server/database-server.js'
import type { Query } from './connect.js'

/** Names are checked; see `checkAccount`. */
export async function existsAccount(query: Query, { name, user }: DatabaseAccount): Promise<'no' | 'partial' | 'yes'> {
  const [found] = await query(
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
export async function createAccount(query: Query, { name, user, password }: DatabaseAccount): Promise<void> {
  const account = [user, await hostOf(query)]
  await query(`create database if not exists \`${name}\` character set utf8mb4`)
  await query('create user if not exists ?@? identified by ?', [...account, password])
  await query('alter user ?@? identified by ?', [...account, password])
  await query(`grant all privileges on \`${pattern(name)}\`.* to ?@?`, account)
}

export async function dropAccount(query: Query, { name, user }: DatabaseAccount): Promise<void> {
  const hosts = await query('select Host as host from mysql.user where User = ?', [user])
  for (const { host } of hosts) await query('drop user if exists ?@?', [user, host])
  // Open transactions would keep the tables.
  const sessions = await query(
    'select id from information_schema.processlist where (user = ? or db = ?) and id <> connection_id()',
    [user, name],
  )
  for (const { id } of sessions) await kill(query, Number(id))
  await query(`drop database if exists \`${name}\``)
}

/** Removes what is in the database; the user keeps the rights. */
export async function emptyDatabase(query: Query, name: string): Promise<void> {
  await query(`drop database if exists \`${name}\``)
  await query(`create database \`${name}\` character set utf8mb4`)
}

/** In grants names are patterns: `_` stands for any character. */
function pattern(name: string): string {
  return name.replaceAll('_', '\\_')
}

/** From the same machine as this one, as the server sees it; from another one addresses may change. */
async function hostOf(query: Query): Promise<string> {
  const [found] = await query(`select substring_index(user(), '@', -1) as host`)
  const host = String(found?.['host'])
  return ['localhost', '127.0.0.1', '::1'].includes(host) ? host : '%'
}

async function kill(query: Query, id: number): Promise<void> {
  try {
    await query(`kill ${id}`)
  } catch (error) {
    // 1094: Unknown thread id: it has ended meanwhile.
    if ((error as { errno?: number }).errno !== 1094) throw error
  }
}
