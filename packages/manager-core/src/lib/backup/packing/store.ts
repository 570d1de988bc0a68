import type { FileHandle } from 'node:fs/promises'
import { Readable, Writable } from 'node:stream'
import type { ManifestFile } from '../backup.js'
import { followFile } from './follow-file.js'
import { createMeter } from './meter.js'
import { pipeThrough } from './program.js'
import { compressor, decompressor } from './zstd.js'

export interface StreamOptions {
  readonly signal?: AbortSignal | undefined
  /** Bytes before compression, so far. */
  readonly onBytes?: (total: number) => void
}

export type Measures = Omit<ManifestFile, 'name'>

/** Compresses what comes into an empty file, which it closes, and which is not yet on the disk when this resolves. */
export async function storeCompressed(
  content: Readable,
  file: FileHandle,
  { signal, onBytes }: StreamOptions = {},
): Promise<Measures> {
  const zstd = await compressor()
  const plain = createMeter(onBytes)
  const stored = createMeter()
  const sink = file.createWriteStream({ highWaterMark: 1 << 20 })
  await pipeThrough(zstd, [content, plain.stream], [stored.stream, sink], signal)
  const before = plain.measure()
  return { ...stored.measure(), plainSize: before.size, plainSha256: before.sha256 }
}

export interface ReadOptions extends StreamOptions {
  /** Default: nowhere. */
  readonly sink?: Writable | undefined
  /** Until this resolves more may come to the file. Default: nothing comes. */
  readonly end?: Promise<unknown>
}

/** Decompresses a file into `sink`, and measures it before and after. */
export async function readCompressed(
  file: string,
  { signal, onBytes, sink = nowhere(), end = Promise.resolve() }: ReadOptions = {},
): Promise<Measures> {
  const zstd = await decompressor()
  const plain = createMeter(onBytes)
  const stored = createMeter()
  const source = Readable.from(followFile(file, end), { objectMode: false, highWaterMark: 1 << 18 })
  await pipeThrough(zstd, [source, stored.stream], [plain.stream, sink], signal)
  const after = plain.measure()
  return { ...stored.measure(), plainSize: after.size, plainSha256: after.sha256 }
}

function nowhere(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() })
}
