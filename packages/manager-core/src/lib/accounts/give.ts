import { constants, readFileSync } from 'node:fs'
import { chmod, chown, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { InstanceHome } from '../domain/home.js'
import { run } from '../system/run.js'
import { foreignStats, visitForeign } from './foreign.js'
import { accountAt, removeAccountFile, writeAccount, type SystemAccount } from './account.js'

/** This process's user, see `give`. */
const own = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }

/**
 * Gives a folder with all in it to an account. Only what belongs to the former owner is given: a hard link that a user
 * put there may be a file of another one. Until all is given, no other account can enter the folder.
 *
 * @param folder lies in a folder in which only the manager can make or replace anything
 * @param from user id of the former owner. Default: this process's.
 */
export async function give(
  folder: string,
  { uid, gid }: Pick<SystemAccount, 'uid' | 'gid'>,
  from = own.uid,
): Promise<void> {
  await chown(folder, own.uid, own.gid)
  await chmod(folder, 0o700)
  // It comes after what is in it.
  await run('chown', ['-hR', `--from=${from}`, `${uid}:${gid}`, '--', folder])
  await chown(folder, uid, gid)
}

/**
 * Makes what was laid out an account's: what the application writes is its own, and the folder that holds it stays the
 * manager's, so that nothing in it that the manager opens can be replaced by a link to something else. May be repeated.
 */
export async function giveHome(home: InstanceHome, account: SystemAccount, from?: number): Promise<void> {
  await chown(home.folder, own.uid, own.gid)
  await chmod(home.folder, 0o700)
  for (const folder of [home.app, home.data, home.logs]) {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await give(folder, account, from)
  }
  await writeAccount(home.folder, account)
  await openHome(home.folder, account)
}

/** Makes it the manager's again. May be repeated. @param from user id of the account */
export async function takeHome(home: InstanceHome, from: number): Promise<void> {
  await chmod(home.folder, 0o700)
  for (const folder of [home.app, home.data, home.logs]) await give(folder, own, from)
  await keepFilesOnly(home.logs)
  await removeAccountFile(home.folder)
  await chown(home.folder, own.uid, own.gid)
}

/** Logs are written and rotated by who has them now: no link of the account leads that elsewhere, and no pipe holds it up. */
async function keepFilesOnly(folder: string): Promise<void> {
  await visitForeign(folder, async ({ at, kind }) => {
    if (kind === 'link' || kind === 'other') await rm(at, { force: true })
  })
}

/** What of an instance its account cannot use, in a sentence without its end. */
export interface WrongOwner {
  readonly message: string
  readonly path: string
  readonly uid: number
  readonly account: SystemAccount
}

/**
 * The first of the files and folders without which an instance does not run that another user has, and its account cannot use:
 * as after a `cp`, `tar` or editor of root's. The instance takes it for lost.
 */
export function wrongOwnerOf({ folder: home, app, data, logs }: InstanceHome): WrongOwner | undefined {
  const account = knownAccount(home)
  if (!account) return undefined
  const { R_OK, W_OK, X_OK } = constants
  const needed = [
    [app, R_OK | X_OK],
    [join(app, 'app.yaml'), R_OK],
    [data, R_OK | W_OK | X_OK],
    [join(data, 'database.db'), R_OK | W_OK],
    [logs, W_OK | X_OK],
  ] as const
  for (const [path, rights] of needed) {
    const stats = foreignStats(path)
    if (!stats || stats.uid === account.uid) continue
    const { uid, gid, mode } = stats
    const granted = gid === account.gid ? mode >> 3 : mode
    const message = `${path} belongs to user ${uid}, but must belong to ${account.name}`
    if ((granted & rights) !== rights) return { message, path, uid, account }
  }
  return undefined
}

/** Undefined: it has none, or one that cannot be read, which is reported elsewhere. */
function knownAccount(home: string): SystemAccount | undefined {
  try {
    return accountAt(home)
  } catch {
    return undefined
  }
}

/** Whether a file of root in the folder of an account was put there by root: no account can have made a link to it. */
export function areLinksProtected(): boolean {
  try {
    return readFileSync('/proc/sys/fs/protected_hardlinks', 'utf8').trim() === '1'
  } catch {
    return false
  }
}

/** Its account may enter it and see what is there. */
export async function openHome(folder: string, { gid }: SystemAccount): Promise<void> {
  await chown(folder, own.uid, gid)
  await chmod(folder, 0o750)
}
