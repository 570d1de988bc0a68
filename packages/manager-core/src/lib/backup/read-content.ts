import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import type { Duplex, Writable } from 'node:stream'
import { ManagerError } from '../../errors.js'
import { pipeThrough } from '../accounts/program.js'
import type { ManagerContext } from '../context.js'
import type { StreamOptions } from '../files/stream-options.js'
import type { Manifest, ManifestFile } from './backup.js'
import { openerOf } from './encryption.js'
import { decryptor } from './packing/age.js'
import { createEntryCheck, inspectTar } from './packing/check-entries.js'
import { createMeter } from './packing/meter.js'
import { decompressor } from './packing/zstd.js'
import { tarOf } from './verify-backup.js'

export interface ContentOptions extends StreamOptions {
  /** Folder of the backup. */
  readonly backup: string
  readonly manifest: Pick<Manifest, 'id' | 'encryption'>
  readonly file: ManifestFile
}

/**
 * Lets through what a file of a verified backup holds, decrypted and decompressed, and looks at it once more: the disk may
 * have changed its mind since. What came is good only when this resolves.
 *
 * @throws ManagerError ERR_BACKUP, ERR_SETTINGS; what a program or a stream says
 */
export async function readContent(
  { settings }: Pick<ManagerContext, 'settings'>,
  { backup, manifest, file, signal, onBytes }: ContentOptions,
  sinks: readonly [...Duplex[], Writable],
): Promise<void> {
  const opener = await openerOf(manifest, settings.global.backupEncryption)
  const filter = await decompressor(opener && (await decryptor(opener)))
  const meter = createMeter(onBytes, file.plainSize)
  const path = join(backup, file.name)
  const tar = tarOf(file.name)
  const inspect = tar ? [inspectTar(createEntryCheck(tar))] : []
  await pipeThrough(filter, [createReadStream(path)], [meter.stream, ...inspect, ...sinks], signal)
  const { size, sha256 } = meter.measure()
  if (size !== file.plainSize || sha256 !== file.plainSha256)
    throw new ManagerError('ERR_BACKUP', `The backup is damaged: ${path} gave other bytes than before.`)
}
