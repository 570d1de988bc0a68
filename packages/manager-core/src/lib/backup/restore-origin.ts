import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ManagerError } from '../../errors.js'
import type { ManagerContext } from '../context.js'
import { lastPart } from './choose-backup.js'
import { manifestName, manifestText } from './manifest.js'
import { listCopies } from './remote/list-copies.js'
import { localFolderOf, remoteIn, type RemoteBackup } from './remote/remote-backup.js'
import { readStatus } from './status.js'

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
    await rm(folder, { recursive: true, force: true })
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
      ...{ cause: error, command, output, operation },
      help: `${help} ${good}`.trim(),
    })
  }
}

function isDamage(error: unknown): error is ManagerError {
  if (!(error instanceof ManagerError)) return false
  return error.code === 'ERR_BACKUP' || (error.code === 'ERR_ROLLED_BACK' && isDamage(error.cause))
}

function isGood({ damage }: { readonly damage?: string | undefined }): boolean {
  return damage === undefined
}

/** As `--from` takes them: the same one elsewhere, then those here, then those at the same target. */
async function othersThan(
  context: ManagerContext,
  { name, key, target }: ReturnType<Parameters<typeof namingOthers>[1]>,
): Promise<readonly string[]> {
  const here = (await context.backups.list({ name })).filter(isGood)
  const { copies = {} } = key === undefined ? {} : await readStatus(localFolderOf(context, key))
  const elsewhere = context.targets.all
    .filter((one) => one.name !== target && isGood(copies[one.name] ?? { damage: 'there is none' }))
    .map((one) => `${one.name}:${lastPart(key as string)}`)
  const there = target === undefined ? [] : (await listCopies(context, target, { name })).backups.filter(isGood)
  const others = [
    ...elsewhere,
    ...here.filter((one) => target !== undefined || one.key !== key).map((one) => lastPart(one.key)),
    ...there.filter((one) => one.key !== key).map((one) => `${target}:${lastPart(one.key)}`),
  ]
  return others.slice(0, mostOthers)
}
