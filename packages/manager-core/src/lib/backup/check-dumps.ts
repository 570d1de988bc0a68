import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { Duplex } from 'node:stream'
import { refuseCommands, type DumpFilter } from '@steward/db-adapters/server'
import { pipeThrough } from '../accounts/program.js'
import { toManagerError } from '../databases/translated-server.js'
import type { StreamOptions } from '../files/stream-options.js'
import type { Manifest } from './backup.js'
import { decryptor, type Opener } from './packing/age.js'
import { decompressor } from './packing/zstd.js'

/**
 * Looks through the dumps of a backup, whose bytes are intact, for what a restore refuses.
 *
 * @throws ManagerError ERR_BACKUP naming the line
 */
export async function checkDumps(
  folder: string,
  { files }: Pick<Manifest, 'files'>,
  opener: Opener | undefined,
  { signal }: StreamOptions,
): Promise<void> {
  for (const { name } of files) {
    const refuse = refuseCommands(/^db\.([a-z]+)\./.exec(name)?.[1] ?? '')
    if (!refuse) continue
    const filter = await decompressor(opener && (await decryptor(opener)))
    try {
      await pipeThrough(filter, [createReadStream(join(folder, name))], [sinkOf(refuse)], signal)
    } catch (error) {
      throw toManagerError(error)
    }
  }
}

function sinkOf(refuse: DumpFilter): Duplex {
  return Duplex.from(async (source: AsyncIterable<Buffer>) => {
    for await (const chunk of refuse(source)) void chunk
  })
}
