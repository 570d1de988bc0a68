import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { moveTo } from '../accounts/places.js'
import pLimit from 'p-limit'
import { identify } from '../system/process-identity.js'

/** What became known of a backup after it was made. Times are ISO 8601. */
export interface BackupStatus {
  /** Every byte was read then, and what was wrong. */
  readonly verified?: { readonly at: string; readonly damage?: string }
  /** It was restored into a throw-away instance then, which started and was healthy; how long that took, in seconds. */
  readonly proved?: { readonly at: string; readonly seconds: number }
  /** By the name of the target. It stays when the local backup is removed because of its copies. */
  readonly copies?: Readonly<Record<string, CopyStatus>>
  /** Whose it is and when it was made, for when its manifest is not here any more. Absent: not known. */
  readonly of?: { readonly instance: string; readonly started: string }
  /** Where it is to be copied; stays until all is done. */
  readonly wanted?: WantedCopies
}

export interface CopyStatus {
  /** When it was copied there. */
  readonly at: string
  /** When every byte of the copy was read last. */
  readonly verified?: string
  /** What was wrong then. */
  readonly damage?: string
}

export type WantedCopies = {
  readonly targets: readonly string[]
  /** By `saveall`: the local backup may be removed when all copies are good (APPS_SAVEALL_REMOVE_LOCAL). */
  readonly automatic: boolean
}

/** Beside the backup, in which nothing is ever changed. */
export function statusFile(folder: string): string {
  return join(dirname(folder), `.${basename(folder)}.status.json`)
}

/** Empty when nothing is known. */
export async function readStatus(folder: string): Promise<BackupStatus> {
  try {
    return JSON.parse(await readFile(statusFile(folder), 'utf8')) as BackupStatus
  } catch {
    return {}
  }
}

/** What is read is written before another one reads. */
const oneAtATime = pLimit(1)

/** What a process was writing when it was killed. */
export function isStatusOfDead(name: string): boolean {
  const [, pid] = /^\..*\.status\.json\.(\d+)\.part$/.exec(name) ?? []
  return pid !== undefined && identify(Number(pid)) === undefined
}

/** The same of one backup. */
export async function removeStatusOfDead(folder: string): Promise<void> {
  const file = statusFile(folder)
  const names = await readdir(dirname(file)).catch(() => [])
  for (const name of names)
    if (name.startsWith(`${basename(file)}.`) && isStatusOfDead(name))
      await rm(join(dirname(file), name), { force: true })
}

/** Where nothing may be written, what was found out still counts for now. */
export function changeStatus(folder: string, change: (status: BackupStatus) => BackupStatus): Promise<void> {
  const file = statusFile(folder)
  return oneAtATime(async () => {
    try {
      const part = `${file}.${process.pid}.part`
      await writeFile(part, `${JSON.stringify(change(await readStatus(folder)))}\n`, { mode: 0o600 })
      await moveTo(part, file)
    } catch {
      // See above.
    }
  })
}
