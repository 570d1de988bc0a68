import { existsSync, lstatSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ManagerError } from '../../errors.js'
import { readForeignFile } from './foreign.js'
import { writePrivateFile } from '../files/write-private-file.js'
import { programPath } from '../system/run.js'

/** A system account that one instance has for itself. */
export interface SystemAccount {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

/** In the home of an instance, which is the manager's, so that the instance cannot change it. */
export const accountFile = 'account'
const fileIn = (folder: string) => join(folder, accountFile)

/**
 * Whose processes run what is in the home of an instance; undefined: those of the manager's own user. It belongs to the
 * folder, wherever that goes: beside, into the trash, and back.
 *
 * @throws ManagerError ERR_STATE when it is unknown: nothing may run as the manager by mistake
 */
export function accountAt(folder: string): SystemAccount | undefined {
  const file = fileIn(folder)
  // Thousands of instances are looked at; an error for each would take its time.
  if (!existsSync(file)) return undefined
  const [name = '', uid, gid] = readForeignFile(file)?.trim().split(' ') ?? []
  const account = { name, uid: Number(uid), gid: Number(gid) }
  const isSound = name !== '' && [account.uid, account.gid].every((id) => Number.isInteger(id) && id > 0)
  if (isSound && lstatSync(file).uid === process.getuid?.()) return account
  throw new ManagerError('ERR_STATE', `${file} does not name the system account of the instance.`, {
    help: 'Restore the file from a backup of the machine. It has one line: name, user id and group id of the account.',
  })
}

/** Durable when it resolves. */
export async function writeAccount(folder: string, { name, uid, gid }: SystemAccount): Promise<void> {
  await writePrivateFile(fileIn(folder), `${name} ${uid} ${gid}\n`)
}

/** It runs as the manager's user from now on. */
export function removeAccountFile(folder: string): Promise<void> {
  return rm(fileIn(folder), { force: true })
}

/**
 * A program and the arguments before its own with which it runs as this account, in no other group, and without a way to
 * get more rights. Without an account: as it is, as the user of this process.
 */
export function asAccount(
  account: SystemAccount | undefined,
  program: string,
): readonly [program: string, before: readonly string[]] {
  if (!account) return [program, []]
  const { uid, gid } = account
  const rights = ['--clear-groups', '--no-new-privs', '--inh-caps=-all']
  return ['setpriv', [`--reuid=${uid}`, `--regid=${gid}`, ...rights, '--', program]]
}

/** Variables by which the dynamic linker and the C library run or read what a file holds. */
const ofLoader = /^(?:LD_|GLIBC_|MALLOC_|GCONV_PATH$|LOCPATH$|NLSPATH$)/

/** A command with its environment. */
export interface Launch {
  readonly program: string
  /** Arguments before its own. */
  readonly before: readonly string[]
  readonly environment: Readonly<Record<string, string>>
}

/**
 * `asAccount` with an environment that others may have chosen: `setpriv` is found without it, and starts, still as root,
 * without what the dynamic linker would load into it. The program gets all of it.
 */
export function asAccountWith(
  account: SystemAccount | undefined,
  program: string,
  environment: Readonly<Record<string, string>>,
): Launch {
  const [first, before] = asAccount(account, program)
  if (!account) return { program: first, before, environment }
  const { assigned, rest } = withoutLoader(environment)
  return {
    program: programPath(first) ?? first,
    before: [...before.slice(0, -1), ...assigned, program],
    environment: rest,
  }
}

/** An environment without what the dynamic linker takes, and a command that adds it: `env LD_PRELOAD=…`; empty: nothing. */
export function withoutLoader(environment: Readonly<Record<string, string>>): {
  readonly assigned: readonly string[]
  readonly rest: Readonly<Record<string, string>>
} {
  const all = Object.entries(environment)
  const loaded = all.filter(([name]) => ofLoader.test(name))
  if (loaded.length === 0) return { assigned: [], rest: environment }
  return {
    assigned: ['env', ...loaded.map(([name, value]) => `${name}=${value}`)],
    rest: Object.fromEntries(all.filter(([name]) => !ofLoader.test(name))),
  }
}

/**
 * The same as `asAccount` for a program that parses or unpacks what an instance, its owner or a backup wrote. Without an account, it
 * keeps the user of this process but none of root's capabilities, so that it makes no devices, changes no owners and
 * opens no file of another user.
 */
export function withoutPrivileges(
  account: SystemAccount | undefined,
  program: string,
): readonly [program: string, before: readonly string[]] {
  if (account || process.getuid?.() !== 0) return asAccount(account, program)
  return ['setpriv', ['--bounding-set=-all', '--inh-caps=-all', '--no-new-privs', '--', program]]
}
