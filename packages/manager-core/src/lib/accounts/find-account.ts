import { readFileSync } from 'node:fs'
import type { SystemAccount } from './account.js'

/** As this machine knows it now; undefined: there is none of this name. */
export function findAccount(name: string): SystemAccount | undefined {
  const [, , uid, gid] = entryOf(name) ?? []
  return uid === undefined ? undefined : { name, uid: Number(uid), gid: Number(gid) }
}

/** The first of this user id. */
export function accountOfUid(uid: number): SystemAccount | undefined {
  const [name] = passwd().find((entry) => entry[2] === String(uid)) ?? []
  return name === undefined ? undefined : findAccount(name)
}

/** What the machine has as its comment; empty: nothing, or there is no such account. */
export function commentOf(name: string): string {
  return entryOf(name)?.[4] ?? ''
}

function entryOf(name: string): readonly string[] | undefined {
  return passwd().find(([first]) => first === name)
}

function passwd(): readonly (readonly string[])[] {
  return readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
}
