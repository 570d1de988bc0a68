import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { DatabaseServerError, type DatabaseAccount } from '../../server/database-server.js'
import { isMark, type AccountMarks } from '../../server/marking.js'
import type { RunSql, SqlSessions } from '../../server/sql-sessions.js'

/** Not specified; chosen as what PostgreSQL itself takes by default. */
const scramIterations = 4096

/** Names are checked; see `checkAccount`. */
export async function existsAccount(run: RunSql, { name, user }: DatabaseAccount): Promise<'no' | 'partial' | 'yes'> {
  const [found] = await run(
    `select
       exists (select from pg_roles where rolname = $2) as has_user,
       exists (select from pg_database where datname = $1) as has_database,
       exists (select from pg_database join pg_roles on pg_roles.oid = datdba
         where datname = $1 and rolname = $2 and rolcanlogin and datconnlimit <> -2
           and not has_database_privilege('public', datname, 'connect')) as is_whole`,
    [name, user],
  )
  if (found?.['is_whole']) return 'yes'
  return found?.['has_user'] || found?.['has_database'] ? 'partial' : 'no'
}

/** The user owns the database, may do nothing beside it, and no other user may connect to it. */
export async function createAccount(run: RunSql, { name, user, password }: DatabaseAccount): Promise<void> {
  const [found] = await run(
    `select (select datconnlimit from pg_database where datname = $1) as limit,
       exists (select from pg_roles where rolname = $2) as has_user,
       (select rolsuper from pg_roles where rolname = current_user) as is_superuser`,
    [name, user],
  )
  const rights = `login nosuperuser nocreatedb nocreaterole noreplication nobypassrls`
  const attributes = found?.['is_superuser'] ? rights : 'login nocreatedb nocreaterole'
  const verb = found?.['has_user'] ? 'alter' : 'create'
  await run(`${verb} role ${user} with ${attributes} password '${scramVerifier(password)}'`)
  // Only members of a role may give it a database, unless they are superusers.
  if (!found?.['is_superuser']) await run(`grant ${user} to current_user`)
  // -2: an interrupted "drop database" left it, of no use.
  if (found?.['limit'] === -2) await run(`drop database ${name}`)
  if (typeof found?.['limit'] !== 'number' || found['limit'] === -2)
    await run(`create database ${name} owner ${user} template template0 encoding 'UTF8'`)
  else await run(`alter database ${name} owner to ${user}`)
  await run(`revoke connect, temporary on database ${name} from public`)
}

/**
 * Also with what the user has elsewhere: in databases that every user may connect to it can make large objects at least,
 * and users of other databases can give it rights there.
 *
 * @param adminIn runs in another database of the server, as `run` does
 * @throws DatabaseServerError ERR_FAILED when it owns something in a database of others; nothing is changed then
 */
export async function dropAccount(
  run: RunSql,
  { name, user }: DatabaseAccount,
  adminIn: SqlSessions['adminIn'],
): Promise<void> {
  const used = await run(
    `select datname, bool_or(deptype = 'o') as owns from pg_shdepend
       join pg_roles on refclassid = 'pg_authid'::regclass and refobjid = pg_roles.oid
       join pg_database on dbid = pg_database.oid
     where rolname = $2 and datname <> $1 group by datname`,
    [name, user],
  )
  const other = used.find(({ datname, owns }) => owns === true && !maintained.has(String(datname)))
  if (other)
    throw new DatabaseServerError(
      'ERR_FAILED',
      `The user "${user}" owns something in the database "${String(other['datname'])}", which is not its own. ` +
        `If that is no longer needed, run there: drop owned by "${user}"`,
    )
  if (used.length > 0) {
    // What is removed cannot be made again.
    await run(`alter role ${user} nologin`)
    await run('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [user])
  }
  for (const { datname } of used) await adminIn(String(datname), (inIt) => inIt(`drop owned by ${user}`))
  await run(`drop database if exists ${name} with (force)`)
  await run(`drop role if exists ${user}`)
}

/** Databases of the server itself, in which there is nothing of others. */
const maintained: ReadonlySet<string> = new Set(['postgres', 'template1'])

/** The owner of a database can change its comment, but not that of a role: this one counts for what the role owns. */
export const postgresqlMarks: AccountMarks = {
  async comments(run, { name, user }) {
    const [found] = await run(
      `select
         (select shobj_description(oid, 'pg_authid') from pg_roles where rolname = $2) as of_user,
         (select shobj_description(oid, 'pg_database') from pg_database where datname = $1) as of_database,
         exists (select from pg_database join pg_roles on pg_roles.oid = datdba where datname = $1 and rolname = $2) as owns`,
      [name, user],
    )
    if (found?.['owns'] && isMark(found['of_user'])) return [found['of_user']]
    return [found?.['of_user'], found?.['of_database']]
  },
  async write(run, { name, user }, mark) {
    const [found] = await run(
      `select exists (select from pg_roles where rolname = $2) as has_user,
         exists (select from pg_database where datname = $1) as has_database`,
      [name, user],
    )
    if (found?.['has_user']) await run(`comment on role ${user} is '${mark}'`)
    if (found?.['has_database']) await run(`comment on database ${name} is '${mark}'`)
  },
}

/**
 * What PostgreSQL keeps of a password. Given in its place, the password itself never reaches the server or its log.
 * Source: RFC 5802, https://www.postgresql.org/docs/current/catalog-pg-authid.html
 */
function scramVerifier(password: string): string {
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, scramIterations, 32, 'sha256')
  const key = (name: string) => createHmac('sha256', salted).update(name).digest()
  const storedKey = createHash('sha256').update(key('Client Key')).digest('base64')
  const serverKey = key('Server Key').toString('base64')
  return `SCRAM-SHA-256$${scramIterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`
}
