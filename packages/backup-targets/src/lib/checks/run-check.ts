import type { BackupTarget } from '../target.js'
import type { Check } from './check.js'
import { listAll } from './expect.js'

export interface RunCheckOptions {
  readonly target: BackupTarget
  /** Another connection to the same store, which outlives the check. */
  readonly another: () => Promise<BackupTarget>
  /** Makes a new one. */
  readonly open: () => Promise<BackupTarget>
  /** What all keys begin with. */
  readonly prefix: string
}

/** Runs one check below a prefix of its own and removes what it made. @returns what was seen. */
export async function runCheck(check: Check, { target, another, open, prefix }: RunCheckOptions): Promise<string> {
  const own = `${prefix}${crypto.randomUUID().slice(0, 8)}/`
  const opened: BackupTarget[] = []
  const fresh = async () => {
    const connection = await open()
    opened.push(connection)
    return connection
  }
  try {
    return (await check.run({ target, capabilities: target.capabilities, prefix: own, another, fresh })) ?? ''
  } finally {
    for (const each of opened) await each.close().catch(() => {})
    // What cannot be removed is not a failure of the check: the next one works elsewhere.
    await removeAll(target, own).catch(() => {})
  }
}

/** Removes what is below a prefix, and what uploads left there. */
export async function removeAll(target: BackupTarget, prefix: string): Promise<void> {
  const objects = await listAll(target, { prefix })
  for (let at = 0; at < objects.length; at += 8)
    await Promise.all(objects.slice(at, at + 8).map(({ key }) => target.delete(key)))
  await target.sweep({ before: new Date(Date.now() + 24 * 3_600_000), prefix })
}
