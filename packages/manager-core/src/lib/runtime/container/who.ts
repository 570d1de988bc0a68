import { existsSync } from 'node:fs'
import { accountAt } from '../../accounts/account.js'
import { instanceHomeAt } from '../../domain/home.js'
import { run } from '../../system/run.js'
import type { InstanceRef } from '../runtime.js'

/** Who runs what is in a container. */
export interface ContainerUser {
  readonly uid: number
  readonly gid: number
}

/** Nothing in a container runs as root: where the manager does, and an instance has no account, this runs it. */
const fixed: ContainerUser = { uid: 10_001, gid: 10_001 }

export function userOf(folder: string): ContainerUser {
  const account = accountAt(folder)
  if (account) return { uid: account.uid, gid: account.gid }
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
  return uid === 0 ? fixed : { uid, gid }
}

/** While it runs, files of an instance are its user's. Nothing to do where they are that anyway. */
export function lend(ref: InstanceRef): Promise<void> {
  return give(ref, 0, fixed)
}

/** They are root's again, whatever runs the instance next. */
export function takeBack(ref: InstanceRef): Promise<void> {
  return give(ref, fixed.uid, { uid: 0, gid: 0 })
}

async function give({ folder }: InstanceRef, from: number, to: ContainerUser): Promise<void> {
  if (userOf(folder) !== fixed) return
  const home = instanceHomeAt(folder)
  const folders = [home.app, home.data, home.logs, home.run].filter((each) => existsSync(each))
  if (folders.length === 0) return
  await run('chown', ['-hR', `--from=${from}`, `${to.uid}:${to.gid}`, '--', ...folders])
}
