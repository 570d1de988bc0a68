import { createReadStream } from 'node:fs'
import { chmod, mkdir, open, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { removeTree } from '../accounts/remove-tree.js'
import type { ManifestFile } from '../backup/backup.js'
import { isEncrypting, sealOf } from '../backup/encryption.js'
import { fileNameOf, homeBase, manifestName } from '../backup/manifest.js'
import { stampOf } from '../backup/new-backup.js'
import type { Seal } from '../backup/packing/age.js'
import type { Measures } from '../backup/packing/read-options.js'
import { storeCompressed } from '../backup/packing/store.js'
import { storeFolder } from '../backup/packing/store-folder.js'
import { tarOf, verifyFile } from '../backup/verify-backup.js'
import type { ManagerContext } from '../context.js'
import { isThrowAway } from '../domain/instance.js'
import type { StreamOptions } from '../files/stream-options.js'
import { syncPath } from '../files/tree.js'
import { registryId } from '../store/check-registry.js'
import { copyRegistry } from '../store/registry-copies.js'
import { laidOutAt, layOutManager } from './lay-out-manager.js'
import { managerManifestText, managerPrefix, type ManagerManifest } from './manager-copy.js'

/** The registry in a copy of a manager; the files are `home.tar`. */
export const registryBase = 'registry.db'

/** A copy of a manager in a folder of this machine. */
export interface PackedManager {
  readonly key: string
  readonly folder: string
  readonly manifest: ManagerManifest
  /** Digest of its content; the same: nothing has changed. */
  readonly digest: string
}

/**
 * Packs registry, settings, hooks and templates into an empty folder, and reads them back. Secrets only when all of it is
 * encrypted.
 */
export async function packManager(
  context: ManagerContext,
  work: string,
  { signal }: StreamOptions = {},
): Promise<PackedManager> {
  const { settings, home, clock, registry } = context
  const { backupEncryption, baseUrl } = settings.global
  const started = clock()
  const [stage, folder, database] = [join(work, 'stage'), join(work, 'copy'), join(work, 'registry.db')]
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const laid = await layOutManager(context, stage, { secrets: isEncrypting(backupEncryption) })
  const changes = copyRegistry(home.database, database)
  const seal = await sealOf(backupEncryption, 2)
  const files = [
    await store({ folder, base: registryBase, seal, signal }, (file, encrypt) =>
      storeCompressed(createReadStream(database), file, { signal, encrypt }),
    ),
    await store({ folder, base: homeBase, seal, signal }, async (file, encrypt) => {
      const { measures } = await storeFolder({ folder: stage, entries: Object.keys(laidOutAt) }, file, {
        signal,
        encrypt,
      })
      return measures
    }),
  ]
  await removeTree(stage)
  await rm(database)
  const manager = registryId(registry)
  const id = `${stampOf(started)}-${changes}`
  const manifest: ManagerManifest = {
    format: 1,
    id,
    manager: { id: manager, host: hostname(), home: home.folder, url: baseUrl },
    started: started.toISOString(),
    instances: registry
      .instances()
      .filter((instance) => !isThrowAway(instance))
      .map((instance) => ({ id: instance.id, name: instance.name })),
    schedule: laid.schedule,
    leftOut: laid.leftOut,
    files,
    ...(seal && { encryption: seal.encryption }),
  }
  await writeFile(join(folder, manifestName), managerManifestText(manifest), { mode: 0o400, flush: true })
  return { key: `${managerPrefix}${manager}/${id}`, folder, manifest, digest: `${changes} ${laid.digest}` }
}

interface StoreOptions extends StreamOptions {
  readonly folder: string
  readonly base: string
  readonly seal: Seal | undefined
}

async function store(
  { folder, base, seal, signal }: StoreOptions,
  write: (
    file: Awaited<ReturnType<typeof open>>,
    encrypt: Awaited<ReturnType<Seal['encryptor']>> | undefined,
  ) => Promise<Partial<Measures>>,
): Promise<ManifestFile> {
  const name = fileNameOf(base, seal ? { encryption: seal.encryption } : {})
  const path = join(folder, name)
  const known = await write(await open(path, 'wx', 0o600), await seal?.encryptor())
  const end = syncPath(path).then(() => known)
  const found = await verifyFile(folder, name, { signal, tar: tarOf(name), opener: seal?.opener, end })
  await chmod(path, 0o400)
  return found
}
