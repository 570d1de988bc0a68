import { createWriteStream } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ManagerError } from '../../errors.js'
import { homeBase, manifestName, needFile } from '../backup/manifest.js'
import { readContent } from '../backup/read-content.js'
import { unpackFiles } from '../backup/unpack-files.js'
import { fetchFile } from '../backup/copies/fetch-backup.js'
import { verifyForRestore } from '../backup/verify-backup.js'
import type { ManagerContext } from '../context.js'
import type { Caller } from '../domain/caller.js'
import type { Instance } from '../domain/instance.js'
import { registryId } from '../store/check-registry.js'
import { importRegistry } from '../store/import-registry.js'
import { openRegistry, type VersionRow } from '../store/registry.js'
import { bringBackHome } from './bring-back-home.js'
import { bringBackInstances } from './bring-back-instances.js'
import { listManagerCopies, managerManifestText, readManagerManifest, type ManagerManifest } from './manager-copy.js'
import { registryBase } from './pack-manager.js'
import { recovered, type Recovered } from './recovered.js'
import { inWorkFolder } from './work-folder.js'

export interface RecoverOptions {
  /** Name of the target. */
  readonly target: string
  /** Id of the manager whose copy is taken, when the target has copies of several. */
  readonly manager?: string | undefined
}

export interface RecoveryReport {
  readonly rows: readonly Recovered[]
  readonly warnings: readonly string[]
  /** The manifest of the copy that was used; undefined: there is none at the target. */
  readonly manifest: ManagerManifest | undefined
}

/**
 * Brings a whole server back from a target: settings, versions, hooks, what the registry knew, and each instance from its
 * newest good backup. Nothing that is here is overwritten, so that it may be repeated, after an interruption, too.
 *
 * @throws ManagerError ERR_STATE when instances are here that are not of that server; ERR_USAGE when there are several
 */
export async function recoverServer(
  context: ManagerContext,
  caller: Caller,
  { target, manager }: RecoverOptions,
): Promise<RecoveryReport> {
  const { dryRun = false } = caller
  return inWorkFolder(context.home, async (work) => {
    const warnings: string[] = []
    const copy = await fetchCopy(context, caller, { target, manager, work, warnings })
    if (!copy) {
      warnings.push(
        `There is no copy of a manager at "${target}". Instances are restored from their backups, without settings, ` +
          'hooks, tokens, requests and history.',
      )
      const { rows, warnings: more } = await bringBackInstances(context, caller, { target, saved: undefined, dryRun })
      return { rows, warnings: [...warnings, ...more], manifest: undefined }
    }
    const { manifest, folder, instances, versions } = copy
    refuseOthers(context, manifest, instances)
    const homeRows = await bringBackHome(context, { folder, manifest, versions, dryRun })
    const isNew = dryRun || importRegistry(context.registry, copy.registry)
    const registryRow = recovered(
      'registry',
      manifest.manager.id,
      isNew ? 'restored' : 'there',
      `History, tokens, requests and incidents as of ${manifest.started}.`,
    )
    const saved = { instances, at: manifest.started }
    const done = await bringBackInstances(context, caller, { target, saved, dryRun })
    return { rows: [...homeRows, registryRow, ...done.rows], warnings: [...warnings, ...done.warnings], manifest }
  })
}

interface FetchedCopy {
  readonly manifest: ManagerManifest
  /** Where its files were unpacked. */
  readonly folder: string
  /** The saved registry, in this manager's form. */
  readonly registry: string
  readonly instances: readonly Instance[]
  readonly versions: readonly VersionRow[]
}

/** The newest one that is whole; undefined: there is none at all. */
async function fetchCopy(
  context: ManagerContext,
  { signal }: Caller,
  { target, manager, work, warnings }: RecoverOptions & { readonly work: string; readonly warnings: string[] },
): Promise<FetchedCopy | undefined> {
  return context.targets.use(target, async (opened) => {
    const all = (await listManagerCopies(opened, { signal })).filter(({ objects }) =>
      objects.some(({ key }) => key.endsWith(`/${manifestName}`)),
    )
    const managers = [...new Set(all.map((one) => one.manager))]
    if (manager === undefined && managers.length > 1)
      throw new ManagerError('ERR_USAGE', `There are copies of ${managers.length} managers at "${target}".`, {
        help: `Use one of: ${(await describe(opened, all)).join('; ')}.`,
        command: `recover --from ${target} --manager ${managers[0]}`,
      })
    const wanted = all.filter((one) => manager === undefined || one.manager === manager)
    if (manager !== undefined && wanted.length === 0)
      throw new ManagerError('ERR_NOT_FOUND', `There is no copy of a manager "${manager}" at "${target}".`, {
        help: managers.length > 0 ? `There are copies of ${managers.join(', ')}.` : 'There is none at all.',
      })
    let last: ManagerError | undefined
    for (const { key } of wanted) {
      const folder = await mkdtemp(join(work, 'copy-'))
      try {
        const manifest = await readManagerManifest(opened, key, { signal })
        if (!manifest) continue
        await writeFile(join(folder, manifestName), managerManifestText(manifest))
        for (const file of manifest.files) {
          const fault = await fetchFile(opened, key, file, join(folder, file.name), { signal })
          if (fault !== undefined) throw new ManagerError('ERR_BACKUP', `${key}/${file.name} ${fault}.`)
        }
        return await unpack(context, { folder, manifest, work, signal })
      } catch (error) {
        if (!ManagerError.is(error) || error.code !== 'ERR_BACKUP') throw error
        last = error
        warnings.push(`Skipped the copy ${key}: ${error.message}`)
      }
    }
    if (last) throw last
    return undefined
  })
}

async function describe(
  opened: Parameters<typeof readManagerManifest>[0],
  all: readonly { readonly key: string; readonly manager: string }[],
): Promise<readonly string[]> {
  const newest = new Map(all.toReversed().map((one) => [one.manager, one.key]))
  const texts: string[] = []
  for (const [id, key] of newest) {
    const manifest = await readManagerManifest(opened, key).catch(() => undefined)
    const where = manifest ? ` (${manifest.manager.host}:${manifest.manager.home}, ${manifest.started})` : ''
    texts.push(`--manager ${id}${where}`)
  }
  return texts
}

interface UnpackOptions {
  readonly folder: string
  readonly manifest: ManagerManifest
  readonly work: string
  readonly signal: AbortSignal | undefined
}

async function unpack(
  context: ManagerContext,
  { folder, manifest, work, signal }: UnpackOptions,
): Promise<FetchedCopy> {
  await verifyForRestore(folder, manifest, context.settings.global.backupEncryption, [homeBase], { signal })
  const [files, registry] = [await mkdtemp(join(work, 'files-')), join(work, 'registry.db')]
  const file = (base: string) => ({ backup: folder, manifest, file: needFile(manifest, base) })
  await unpackFiles(context, { backup: folder, manifest, base: homeBase, folder: files, signal })
  await readContent(context, file(registryBase), [createWriteStream(registry, { mode: 0o600 })])
  const opened = openRegistry({ file: registry })
  try {
    const [instances, versions] = [opened.instances(), opened.versions()]
    return { manifest, folder: files, registry, instances, versions }
  } finally {
    opened.close()
  }
}

/** @throws ManagerError ERR_STATE */
function refuseOthers({ registry }: ManagerContext, { manager }: ManagerManifest, saved: readonly Instance[]): void {
  // Started before.
  if (registryId(registry) === manager.id) return
  const ids = new Set(saved.map(({ id }) => id))
  const names = new Set(saved.map(({ name }) => name.toLowerCase()))
  const other = registry.instances().find(({ id, name }) => !ids.has(id) && !names.has(name.toLowerCase()))
  if (!other) return
  throw new ManagerError('ERR_STATE', `This manager already has instances: "${other.name}" is not from that server.`, {
    help: 'Recover the server into a new home. To recover single instances, use: manager restore --from <target>',
    command: 'init --help',
  })
}
