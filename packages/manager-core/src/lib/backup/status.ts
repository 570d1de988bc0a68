import { readFile, rename, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** What became known of a backup after it was made. Times are ISO 8601. */
export interface BackupStatus {
  /** Every byte was read then, and what was wrong. */
  readonly verified?: { readonly at: string; readonly damage?: string }
  /** It was restored into a throw-away instance then, which started and was healthy; how long that took, in seconds. */
  readonly proved?: { readonly at: string; readonly seconds: number }
  /** By the name of the target: when it was copied there, and when every byte of the copy was read last. */
  readonly copies?: Readonly<Record<string, { readonly at: string; readonly verified?: string }>>
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

/** Where nothing may be written, what was found out still counts for now. */
export async function changeStatus(folder: string, change: (status: BackupStatus) => BackupStatus): Promise<void> {
  const file = statusFile(folder)
  try {
    await writeFile(`${file}.part`, `${JSON.stringify(change(await readStatus(folder)))}\n`, { mode: 0o600 })
    await rename(`${file}.part`, file)
  } catch {
    // See above.
  }
}
