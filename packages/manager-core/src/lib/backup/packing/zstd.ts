import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { runFilter, type Filter } from './program.js'
import { packingTools } from './tools.js'

/** Compresses with the program on all processors, else with Node on one. Always one frame with a checksum. */
export async function compressor(): Promise<Filter> {
  if ((await packingTools()).zstd !== undefined) return runFilter('zstd', ['-T0', '-3', '--check', '-q', '-c'])
  return inNode(
    createZstdCompress({
      params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 },
    }),
  )
}

/**
 * The program, else Node, whose decoder ends well after the first frame, whatever follows: compare length and hash of
 * what it gives.
 */
export async function decompressor(): Promise<Filter> {
  if ((await packingTools()).zstd !== undefined) return runFilter('zstd', ['-d', '-q', '-c'])
  return inNode(createZstdDecompress())
}

function inNode(stream: Filter['stream']): Filter {
  return { stream, done: Promise.resolve(0), errors: () => '' }
}
