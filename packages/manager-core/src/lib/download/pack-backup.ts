import { join } from 'node:path'
import { ManagerError } from '../../errors.js'
import type { Backup } from '../backup/backup.js'
import { manifestName, manifestText } from '../backup/manifest.js'
import { packInNode, type TarInput } from '../backup/packing/pack-in-node.js'

/**
 * One tar of a backup as it is read, the manifest last. Unpacked in APPS_SAVE_DIR it is a backup again. It fails before
 * its end, so that it is not taken for a complete one, when a file of the backup is not what it was.
 */
export async function* packBackup({ key, folder, manifest }: Backup): AsyncGenerator<Uint8Array> {
  const files = manifest.files.map(({ name, size, sha256 }): TarInput => ({
    source: join(folder, name),
    target: `${key}/${name}`,
    expected: { size, sha256 },
  }))
  const last = { target: `${key}/${manifestName}`, content: manifestText(manifest), mode: 0o400 }
  const { content, done } = packInNode([...files, last], { anonymous: true })
  try {
    yield* content as AsyncIterable<Uint8Array>
    await done
  } catch (error) {
    throw new ManagerError('ERR_BACKUP', `Cannot download the backup ${key}: ${(error as Error).message}.`, {
      cause: error,
      command: `backups verify ${key.slice(0, key.indexOf('/'))} ${manifest.id}`,
    })
  }
}
