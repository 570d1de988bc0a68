import { createReadStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileError } from '../instances/file-error.js'
import type { StepRun } from '../operation/operation.js'
import type { Manifest } from './backup.js'
import { openerOf } from './encryption.js'
import { filesBase, needFile } from './manifest.js'
import { decryptor } from './packing/age.js'
import { createMeter } from './packing/meter.js'
import { bothOf, pipeThrough } from './packing/program.js'
import { packingTools } from './packing/tools.js'
import { unpackByPrograms, unpackInto } from './packing/unpack.js'
import { decompressor } from './packing/zstd.js'

/** Unpacks the files of a verified backup, `app` and `data`, into a folder that is made anew. */
export async function unpackFiles(
  run: StepRun,
  { backup, manifest, folder }: { readonly backup: string; readonly manifest: Manifest; readonly folder: string },
): Promise<void> {
  const { name, plainSize: of } = needFile(manifest, filesBase)
  try {
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const file = join(backup, name)
    const opener = await openerOf(manifest, run.context.settings.global.backupEncryption)
    const decrypt = opener && (await decryptor(opener))
    const onBytes = (bytes: number) => run.progress('Unpack the files', { bytes, of })
    const tools = await packingTools()
    if (tools.tar !== undefined && tools.zstd !== undefined && (decrypt === undefined || 'command' in decrypt))
      return await unpackByPrograms(file, decrypt?.command, folder, { signal: run.signal, onBytes })
    const filter = await decompressor(decrypt)
    const { sink, done } = await unpackInto(folder)
    await bothOf(pipeThrough(filter, [createReadStream(file)], [createMeter(onBytes).stream, sink], run.signal), done)
  } catch (error) {
    throw fileError(error, `Cannot unpack the backup into ${folder}`)
  }
}
