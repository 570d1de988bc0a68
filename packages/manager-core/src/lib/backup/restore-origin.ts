import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeTree } from '../accounts/remove-tree.js'
import { ManagerError } from '../../errors.js'
import type { ManagerContext } from '../context.js'
import { lastPart } from './choose-backup.js'
import { manifestName, manifestText } from './manifest.js'
import { listCopies } from './copies/list-copies.js'
import { localFolderOf, remoteIn, type RemoteBackup } from './copies/remote-backup.js'
import { rememberedCopies } from './copies/remembered-copies.js'
import { readStatus, type BackupStatus } from './status.js'

/** What is to be restored: a folder with at least the manifest. */
export interface Origin {
  /** See `Backup.key`. */
  readonly key: string
  /** Absolute. */
  readonly folder: string
}

/** How many others an error names. */
const mostOthers = 4

/** `<target>:<backup>`, or the name of a target, for the latest one there; undefined: a backup that is here. */
export function remoteOrigin(
  { targets }: Pick<ManagerContext, 'targets'>,
  from: string | undefined,
): ReturnType<typeof remoteIn> {
  if (from === undefined) return undefined
  const isTarget = targets.all.some(({ name }) => name === from)
  return remoteIn(isTarget ? `${from}:` : from)
}

/** Lets something look at a backup of which there is nothing here but its manifest. */
export async function withManifestOnly<T>(
  { key, manifest }: Pick<RemoteBackup, 'key' | 'manifest'>,
  work: (origin: Origin) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'steward-manifest-'))
  try {
    await writeFile(join(folder, manifestName), manifestText(manifest))
    return await work({ key, folder })
  } finally {
    await removeTree(folder)
  }
}

/**
 * Does something with a backup; when that is damaged, the error names others that are known to be good.
 *
 * @param about key when it is known, and the target when it is one's copy
 */
export async function namingOthers<T>(
  context: ManagerContext,
  about: () => { readonly name: string; readonly key?: string | undefined; readonly target?: string | undefined },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isDamage(error)) throw error
    const others = await othersThan(context, about()).catch(() => [])
    const { code, message, help = '', command, output, operation } = error
    const good =
      others.length === 0 ? 'No other is known.' : `Others: ${others.map((one) => `--from ${one}`).join(', ')}.`
    throw new ManagerError(code, message, {
      cause: error,
      command,
      output,
      operation,
      help: `${help} ${good}`.trim(),
    })
  }
}

function isDamage(error: unknown): error is ManagerError {
  if (!ManagerError.is(error)) return false
  return error.code === 'ERR_BACKUP' || (error.code === 'ERR_ROLLED_BACK' && isDamage(error.cause))
}

function isGood({ damage }: { readonly damage?: string | undefined }): boolean {
  return damage === undefined
}

/**
 * As `--from` takes them: the same one elsewhere, then those here, then those that are remembered at other targets or
 * found at the same one.
 */
async function othersThan(
  context: ManagerContext,
  { name, key, target }: ReturnType<Parameters<typeof namingOthers>[1]>,
): Promise<readonly string[]> {
  const isOther = (one: { readonly key: string }) => one.key !== key
  /** What other targets have of one. */
  const copiesOf = (one: string, copies: BackupStatus['copies'] = {}) =>
    context.targets.all
      .filter((set) => set.name !== target && isGood(copies[set.name] ?? { damage: 'there is none' }))
      .map((set) => `${set.name}:${lastPart(one)}`)
  const same = key === undefined ? [] : copiesOf(key, (await readStatus(localFolderOf(context, key))).copies)
  const here = (await context.backups.list({ name })).filter(
    (one) => isGood(one) && (target !== undefined || isOther(one)),
  )
  const away = (await rememberedCopies(context, name)).filter(isOther)
  const there = target === undefined ? [] : (await listCopies(context, target, { name })).backups
  const others = [
    ...same,
    ...here.map((one) => lastPart(one.key)),
    ...away.flatMap((one) => copiesOf(one.key, one.copies)),
    ...there.filter((one) => isGood(one) && isOther(one)).map((one) => `${target}:${lastPart(one.key)}`),
  ]
  return others.slice(0, mostOthers)
}
