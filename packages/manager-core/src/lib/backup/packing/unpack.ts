import type { Writable } from 'node:stream'
import { unpackTar } from 'modern-tar/fs'
import { ManagerError } from '../../../errors.js'
import { runChain, runFilter, type Command } from '../../accounts/program.js'
import type { StreamOptions } from '../../files/stream-options.js'
import { createEntryCheck } from './check-entries.js'
import { progressFlags, progressOf } from './tar-progress.js'
import { packingTools } from './tools.js'
import { decompression } from './zstd.js'

export interface Unpacking {
  readonly sink: Writable
  /** All is written only when this resolves. */
  readonly done: Promise<unknown>
}

/**
 * Takes a tar whose entries were checked, and writes them into an empty folder: by GNU tar when it is there, else by Node.
 *
 * @param tops the only folders that they may be in
 */
export async function unpackInto(folder: string, tops: readonly string[]): Promise<Unpacking> {
  if ((await packingTools()).tar === undefined) return unpackInNode(folder, tops)
  const filter = runFilter([{ command: 'tar', args: extraction(folder) }])
  filter.output.resume()
  return { sink: filter.input, done: filter.done }
}

/**
 * The same of a compressed tar, by the programs alone, which must be there.
 *
 * @param decrypt comes before zstd
 */
export async function unpackByPrograms(
  file: string,
  decrypt: Command | undefined,
  folder: string,
  { signal, onBytes }: StreamOptions = {},
): Promise<void> {
  const isReport = (line: string) => {
    const soFar = progressOf(line)
    if (soFar !== undefined) onBytes?.(soFar)
    return soFar !== undefined
  }
  const decompress = decrypt
    ? [
        { ...decrypt, args: [...decrypt.args, '--', file] },
        { command: 'zstd', args: decompression },
      ]
    : [{ command: 'zstd', args: [...decompression, '--', file] }]
  await runChain([...decompress, { command: 'tar', args: [...extraction(folder), ...progressFlags], isReport }], {
    signal,
  })
}

const extraction = (folder: string) => [
  '--extract',
  '--no-same-owner',
  '--preserve-permissions',
  `--directory=${folder}`,
]

function unpackInNode(folder: string, tops: readonly string[]): Unpacking {
  const check = createEntryCheck(tops)
  const sink = unpackTar(folder, {
    strict: true,
    maxDepth: Infinity,
    filter: (header) => {
      check(header)
      // It would be unpacked under another name.
      if (/\\|^[A-Za-z]:/.test(header.name))
        throw new ManagerError(
          'ERR_BACKUP',
          `"${header.name}" can only be unpacked by GNU tar, which is not installed.`,
        )
      return true
    },
  })
  return { sink, done: Promise.resolve() }
}
