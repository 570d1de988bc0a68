import { readFileSync } from 'node:fs'
import type { SystemAccount } from './account.js'

/** As this machine knows it now; undefined: there is none of this name. */
export function findAccount(name: string): SystemAccount | undefined {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((each) => each.startsWith(`${name}:`))
  const [, , uid, gid] = line?.split(':') ?? []
  return uid === undefined ? undefined : { name, uid: Number(uid), gid: Number(gid) }
}
