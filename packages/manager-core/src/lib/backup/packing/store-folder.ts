import type { FileHandle } from 'node:fs/promises'
import { bothOf, runChain, type Command } from '../../accounts/program.js'
import type { StreamOptions } from '../../files/stream-options.js'
import { changesOf, packFolder, tarCommand, type PackOptions } from './pack.js'
import type { Measures } from './read-options.js'
import { storeCompressed, type StoreOptions } from './store.js'
import { progressFlags, progressOf } from './record-flags.js'
import { packingTools } from './tools.js'
import { storingPrograms } from './zstd.js'

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
  streamOptions: StoreOptions = {},
): Promise<StoredFolder> {
  const programs = await storingPrograms(streamOptions.encrypt)
  if (programs && (await packingTools()).tar !== undefined)
    try {
      return await storeByPrograms(options, file, programs, streamOptions)
    } finally {
      await file.close()
    }
  const packing = await packFolder(options)
  const [measures, { codes, changes }] = await bothOf(
    storeCompressed(packing.content, file, streamOptions),
    packing.done,
  )
  return { measures: { ...measures, exitCodes: { ...codes, ...measures.exitCodes } }, warnings: changes }
}

async function storeByPrograms(
  options: PackOptions,
  file: FileHandle,
  after: readonly Command[],
  { signal, onBytes }: StreamOptions,
): Promise<StoredFolder> {
  // Shown, but not believed: it may be the work of the account that tar runs as. What tar gave is looked at and counted
  // when it is read back.
  const isReport = (line: string) => {
    const soFar = progressOf(line)
    if (soFar !== undefined) onBytes?.(soFar)
    return soFar !== undefined
  }
  const { codes, errors } = await runChain([{ ...tarCommand(options, progressFlags), isReport }, ...after], {
    file: file.fd,
    signal,
  })
  const warnings = codes['tar'] === 1 ? changesOf(errors, options.folder) : []
  return { measures: { exitCodes: codes }, warnings }
}
