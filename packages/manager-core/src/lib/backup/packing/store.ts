import { createReadStream, createWriteStream } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { Writable as Sink } from 'node:stream'
import type { ManifestFile } from '../backup.js'
import { createMeter } from './meter.js'
import { pipeThrough } from './program.js'
import { compressor, decompressor } from './zstd.js'

export interface StreamOptions {
  readonly signal?: AbortSignal | undefined
  /** Bytes before compression, so far. */
  readonly onBytes?: (total: number) => void
}

/** Compresses what comes into a new file of mode 0600 that is on the disk when this resolves. */
export async function storeCompressed(
  content: Readable,
  file: string,
  { signal, onBytes }: StreamOptions = {},
): Promise<Omit<ManifestFile, 'name'>> {
  const zstd = await compressor()
  const plain = createMeter(onBytes)
  const stored = createMeter()
  const sink = createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true, highWaterMark: 1 << 20 })
  await pipeThrough(zstd, [content, plain.stream], [stored.stream, sink], signal)
  const before = plain.measure()
  return { ...stored.measure(), plainSize: before.size, plainSha256: before.sha256 }
}

/** Decompresses a file into `sink` (default: nowhere), and measures it before and after. */
export async function readCompressed(
  file: string,
  { signal, onBytes, sink = nowhere() }: StreamOptions & { readonly sink?: Writable } = {},
): Promise<Omit<ManifestFile, 'name'>> {
  const zstd = await decompressor()
  const plain = createMeter(onBytes)
  const stored = createMeter()
  const source = createReadStream(file, { highWaterMark: 1 << 18 })
  await pipeThrough(zstd, [source, stored.stream], [plain.stream, sink], signal)
  const after = plain.measure()
  return { ...stored.measure(), plainSize: after.size, plainSha256: after.sha256 }
}

function nowhere(): Writable {
  return new Sink({ write: (_chunk, _encoding, done) => done() })
}
