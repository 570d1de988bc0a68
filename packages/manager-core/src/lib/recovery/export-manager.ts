import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BackupTarget } from '@steward/backup-targets'
import { manifestName } from '../backup/manifest.js'
import { writeCopy } from '../backup/copies/write-copy.js'
import type { ManagerContext } from '../context.js'
import type { Caller } from '../domain/caller.js'
import { writePrivateFile } from '../files/write-private-file.js'
import { keptOf } from '../store/registry-copies.js'
import { lockOptionsOf } from '../system/lock-options.js'
import { isTargetError } from '../targets/target-failure.js'
import { listManagerCopies, managerPrefix } from './manager-copy.js'
import { packManager } from './pack-manager.js'
import { inWorkFolder } from './work-folder.js'

/** What is known of the copies of this manager, by the name of the target. */
export type ManagerExports = Readonly<Record<string, { readonly digest: string; readonly at: string }>>

/** Even when nothing has changed but the history, a copy is not older. Not specified; chosen: less than a night and a day. */
const mostAgeMs = 20 * 60 * 60 * 1000

/**
 * Copies the registry, settings, hooks and templates to targets, beside the backups of instances: with them another
 * machine becomes this server. Where nothing has changed, nothing is sent.
 *
 * @returns what did not work, and what is left out, as it would lie there in clear
 */
export async function exportManager(
  context: ManagerContext,
  caller: Caller,
  targets: readonly string[],
): Promise<{ readonly failures: readonly string[] }> {
  if (targets.length === 0) return { failures: [] }
  const { locks, clock, home } = context
  try {
    return await locks.with(
      ['manager-copy'],
      lockOptionsOf({ ...caller, waitMs: 60_000 }, 'copy of the manager', clock()),
      () => inWorkFolder(home, async (work) => ({ failures: await sendTo(context, caller, targets, work) })),
    )
  } catch (error) {
    caller.signal?.throwIfAborted()
    return { failures: [`The registry and the settings were not copied: ${(error as Error).message}`] }
  }
}

async function sendTo(
  context: ManagerContext,
  { signal }: Caller,
  targets: readonly string[],
  work: string,
): Promise<readonly string[]> {
  const { home, clock } = context
  const packed = await packManager(context, work, { ...(signal && { signal }) })
  const file = exportsFile(home)
  const failures: string[] = []
  for (const target of targets)
    try {
      const before = (await readManagerExports(home))[target]
      const age = before ? clock().getTime() - Date.parse(before.at) : Infinity
      if (before?.digest === packed.digest && age < mostAgeMs) continue
      await context.targets.use(target, async (opened) => {
        await writeCopy(opened, packed, { readBack: false, signal })
        await tidy(opened, packed.manifest.manager.id, clock())
      })
      const all = {
        ...(await readManagerExports(home)),
        [target]: { digest: packed.digest, at: packed.manifest.started },
      }
      await writePrivateFile(file, `${JSON.stringify(all, null, 2)}\n`)
    } catch (error) {
      signal?.throwIfAborted()
      failures.push(`The registry and the settings were not copied to "${target}": ${(error as Error).message}`)
    }
  return failures
}

const exportsFile = ({ registryCopies }: ManagerContext['home']) => join(registryCopies, 'exports.json')

export async function readManagerExports(home: ManagerContext['home']): Promise<ManagerExports> {
  try {
    return JSON.parse(await readFile(exportsFile(home), 'utf8')) as ManagerExports
  } catch {
    // Not there, or cut off: they are sent again.
    return {}
  }
}

/** Removes those that are kept no longer, the manifest first, and what uploads left. */
async function tidy(target: BackupTarget, manager: string, now: Date): Promise<void> {
  const copies = await listManagerCopies(target, { manager })
  const kept = new Set(keptOf(copies))
  for (const copy of copies.filter((one) => !kept.has(one)))
    for (const { key } of copy.objects.toSorted((a) => (a.key.endsWith(`/${manifestName}`) ? -1 : 1)))
      await target.delete(key).catch((error: unknown) => {
        if (!isTargetError(error, 'ERR_TARGET_LOCKED')) throw error
      })
  await target.sweep({ before: new Date(now.getTime() - 24 * 60 * 60 * 1000), prefix: managerPrefix })
}
