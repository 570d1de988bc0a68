import { chmod, lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '../accounts/places.js'
import { ManagerError } from '../../errors.js'
import { accountAt, accountFile, type SystemAccount } from '../accounts/account.js'
import { lostAccount } from '../accounts/lost-account.js'
import { findAccount } from '../accounts/find-account.js'
import { makeAccount, removeAccount } from '../accounts/system-accounts.js'
import type { ManagerContext, Step, StepRun } from '../context.js'
import { instanceHomeAt, type Home } from '../domain/home.js'
import { listTrash } from './trash.js'

/** What the account is called that an operation makes: recovery finds it by that. */
export function accountNameOf({ operation }: Pick<StepRun, 'operation'>): string {
  return `steward-${operation.replaceAll('-', '').slice(0, 12)}`
}

/** Makes a system account for what is laid out next. Each home has one of its own, also that which takes another's place. */
export function accountStep(): Step {
  return {
    id: 'account',
    title: 'Create its system account',
    async do(run) {
      await openManagersHome(run.context.home)
      await withAccounts(run, () => makeAccount(accountNameOf(run), run.context.home.folder))
    },
    undo: (run) => withAccounts(run, () => removeAccount(accountNameOf(run), run.context.home.folder)),
    check: (run) => (findAccount(accountNameOf(run)) ? 'done' : 'not-done'),
  }
}

/** Removes an account for good; nothing to do when there is none of this name. */
export function removeAccountStep(name: (run: StepRun) => string): Step {
  return {
    id: 'remove-account',
    title: 'Remove its system account',
    do: (run) => withAccounts(run, () => removeAccount(name(run), run.context.home.folder)),
    check: (run) => (findAccount(name(run)) ? 'not-done' : 'done'),
  }
}

/** What `accountStep` made. */
export function madeAccount(run: Pick<StepRun, 'operation'>): SystemAccount {
  const account = findAccount(accountNameOf(run))
  if (account) return account
  throw new ManagerError('ERR_FAILED', `The system account "${accountNameOf(run)}" is gone.`)
}

/** For people and the API: its name, and empty where there is none. */
export function accountNameAt(folder: string): string {
  return accountAt(folder)?.name ?? ''
}

/**
 * Names of the accounts that an instance and what is in the trash have, empty for those without one.
 *
 * @param but a folder that does not count
 */
export async function accountsInUse(home: Home, instanceId: string, but?: string): Promise<readonly string[]> {
  const trash = await listTrash(home)
  const folders = [home.instance(instanceId).folder, ...trash.map(({ folder }) => folder)]
  return folders.filter((folder) => folder !== but).map(accountNameAt)
}

/** The programs that make and remove accounts refuse to do it at the same time. */
async function withAccounts<T>({ context, signal }: StepRun, work: () => Promise<T>): Promise<T> {
  const options = { purpose: `change of system accounts, process ${process.pid}`, waitMs: 60_000, signal }
  return context.locks.with(['accounts'], options, work)
}

/** Accounts may pass through the manager's home to their own, and see nothing in it: not even the names. */
export async function openManagersHome(home: Home): Promise<void> {
  // Those with a dot are of commands that run just now, and closed from the start.
  const names = (await readdir(home.folder)).filter((name) => !name.startsWith('.'))
  for (const path of names.map((name) => join(home.folder, name))) {
    const stats = await lstat(path)
    const isForAll = [home.instances, home.programs, home.servers].includes(path)
    if (!isForAll && (stats.isFile() || stats.isDirectory())) await chmod(path, stats.mode & 0o700)
  }
  await makeFolder(home.instances)
  for (const folder of [home.instances, home.folder]) await chmod(folder, 0o711)
}

/** A sentence without its end. */
export function lostText(folder: string, { name }: SystemAccount): string {
  return `the file ${join(folder, accountFile)} is gone, so it would not run as ${name}, whose its data are`
}

/** @throws ManagerError ERR_STATE when an instance must have an account and has none, or has lost the file that names it */
export function checkIsolated(
  { settings, home }: Pick<ManagerContext, 'settings' | 'home'>,
  name: string,
  folder: string,
): void {
  const lost = lostAccount(instanceHomeAt(folder), home.folder)
  if (lost)
    throw new ManagerError('ERR_STATE', `"${name}" was not started: ${lostText(folder, lost)}.`, {
      help: 'Nothing else is lost: the file is written again by doctor.',
      command: 'doctor instances --fix',
    })
  if (settings.global.isolation !== 'yes' || accountAt(folder)) return
  throw new ManagerError('ERR_STATE', `"${name}" has no system account, but APPS_ISOLATION=yes requires one.`, {
    help: `Create one (manager isolate ${name}), then start it again.`,
    command: `isolate ${name}`,
  })
}
