import type { FileHandle } from 'node:fs/promises'
import { changesOf, packFolder, tarCommand, type PackOptions } from './pack.js'
import { bothOf, runChain } from './program.js'
import { storeCompressed, type Measures, type StreamOptions } from './store.js'
import { progressFlags, progressOf } from './tar-progress.js'
import { packingTools } from './tools.js'
import { compression } from './zstd.js'

export interface StoredFolder {
  /** What is known of it; the rest is found out by reading it back. */
  readonly measures: Partial<Measures>
  /** Files that changed while they were read. */
  readonly warnings: readonly string[]
}

/** A compressed tar of a folder in an empty file, which it closes, and which is not yet on the disk when this resolves. */
export async function storeFolder(
  options: PackOptions,
  file: FileHandle,
  streamOptions: StreamOptions = {},
): Promise<StoredFolder> {
  const { tar, zstd } = await packingTools()
  if (tar !== undefined && zstd !== undefined)
    try {
      return await storeByPrograms(options, file, zstd, streamOptions)
    } finally {
      await file.close()
    }
  const packing = await packFolder(options)
  const [measures, warnings] = await bothOf(storeCompressed(packing.content, file, streamOptions), packing.done)
  return { measures, warnings }
}

async function storeByPrograms(
  options: PackOptions,
  file: FileHandle,
  zstd: string,
  { signal, onBytes }: StreamOptions,
): Promise<StoredFolder> {
  let total: number | undefined
  const isReport = (line: string) => {
    const soFar = progressOf(line)
    if (soFar !== undefined) onBytes?.(soFar)
    const [, bytes] = /^Total bytes written: (\d+) /.exec(line) ?? []
    if (bytes !== undefined) total = Number(bytes)
    return soFar !== undefined || bytes !== undefined
  }
  const { code, errors } = await runChain(
    { ...tarCommand(options, [...progressFlags, '--totals']), isReport },
    { command: 'zstd', args: compression(zstd) },
    { file: file.fd, signal },
  )
  if (total === undefined) throw new Error('tar did not say how much it packed.')
  return { measures: { plainSize: total }, warnings: code === 1 ? changesOf(errors, options.folder) : [] }
}
