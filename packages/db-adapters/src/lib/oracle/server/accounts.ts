import { setTimeout } from 'node:timers/promises'
import { DatabaseServerError } from '../../server/database-server.js'
import type { DatabaseAccount } from '../../server/database-server.js'
import type { RunSql } from '../../server/sql-sessions.js'
import type { OracleError } from './errors.js'
import { text } from './text.js'

/** What an application needs to make what it serves; neither CONNECT, RESOURCE nor DBA, which have more. */
const privileges = [
  'create session',
  'create table',
  'create sequence',
  'create trigger',
  'create view',
  'create procedure',
] as const

/** Passwords of applications do not run out after half a year, as those of people do by default. */
const profile = 'steward_applications'

/** How often a user is dropped again whose sessions are about to end. Not specified; chosen as half a minute. */
const dropAttempts = 60
const dropPauseMs = 500

/** A user and its schema are one. Names are checked; see `checkAccount`. */
export async function existsAccount(run: RunSql, { user }: DatabaseAccount): Promise<'no' | 'partial' | 'yes'> {
  const [found] = await run('select account_status as status from dba_users where username = upper(:1)', [user])
  if (!found) return 'no'
  const granted = await run('select privilege from dba_sys_privs where grantee = upper(:1)', [user])
  const names = new Set(granted.map(({ privilege }) => String(privilege).toLowerCase()))
  return found['status'] === 'OPEN' && privileges.every((privilege) => names.has(privilege)) ? 'yes' : 'partial'
}

/** The user may make what is in its schema, on the default tablespace, and nothing beside it. */
export async function createAccount(run: RunSql, { user, password }: DatabaseAccount): Promise<void> {
  const [found] = await run('select count(*) as users from dba_users where username = upper(:1)', [user])
  await makeProfile(run)
  const verb = Number(found?.['users']) === 0 ? 'create' : 'alter'
  try {
    await run(`${verb} user ${user} identified by ${quotePassword(user, password)} account unlock`)
  } catch (error) {
    // A server that does not understand a statement shows a part of it.
    if (!(error as Error).message.includes(password)) throw error
    throw new DatabaseServerError('ERR_FAILED', `Oracle: the user "${user}" cannot be made.`)
  }
  const [space] = await run('select default_tablespace as name, profile from dba_users where username = upper(:1)', [
    user,
  ])
  await run(`alter user ${user} quota unlimited on "${String(space?.['name'])}"`)
  if (await hasProfile(run)) await run(`alter user ${user} profile ${profile}`)
  await run(`grant ${privileges.join(', ')} to ${user}`)
}

export async function dropAccount(run: RunSql, { user }: DatabaseAccount): Promise<void> {
  const [found] = await run('select count(*) as users from dba_users where username = upper(:1)', [user])
  if (Number(found?.['users']) === 0) return
  // No new session can start meanwhile.
  await run(`alter user ${user} account lock`)
  for (let attempt = 1; ; attempt++) {
    await endSessions(run, user)
    try {
      await run(`drop user ${user} cascade`)
      return
    } catch (error) {
      // 1940: cannot drop a user that is currently connected
      if ((error as OracleError).errorNum !== 1940 || attempt === dropAttempts) throw error
      await setTimeout(dropPauseMs)
    }
  }
}

export async function emptyAccount(run: RunSql, account: DatabaseAccount): Promise<void> {
  await dropAccount(run, account)
  await createAccount(run, account)
}

async function endSessions(run: RunSql, user: string): Promise<void> {
  const sessions = await run('select sid, serial# as serial_number from v$session where username = upper(:1)', [user])
  for (const { sid, serial_number: serial } of sessions)
    try {
      await run(`alter system kill session ${text(`${Number(sid)},${Number(serial)}`)} immediate`)
    } catch (error) {
      // 30: User session ID does not exist. 31: session marked for kill
      if (![30, 31].includes((error as OracleError).errorNum ?? 0)) throw error
    }
}

async function makeProfile(run: RunSql): Promise<void> {
  if (await hasProfile(run)) return
  try {
    await run(`create profile ${profile} limit password_life_time unlimited`)
  } catch (error) {
    // 2379: another session created it meanwhile. 1031: an administrator without this right leaves the default profile.
    if (![2379, 1031].includes((error as OracleError).errorNum ?? 0)) throw error
  }
}

async function hasProfile(run: RunSql): Promise<boolean> {
  const [found] = await run('select count(*) as profiles from dba_profiles where profile = upper(:1)', [profile])
  return Number(found?.['profiles']) > 0
}

/** Oracle has no way to write a quotation mark in a password. @throws DatabaseServerError ERR_FAILED */
function quotePassword(user: string, password: string): string {
  if (!/["\0\n]/.test(password)) return `"${password}"`
  throw new DatabaseServerError(
    'ERR_FAILED',
    `The user "${user}" cannot be made: its password has a quotation mark or a line end, which Oracle does not take.`,
  )
}
