import type { FileHandle } from 'node:fs/promises'
import { Readable, Writable } from 'node:stream'
import type { ManifestFile } from '../backup.js'
import { inspectTar, type EntryCheck } from './check-entries.js'
import { becomesLarge, followFile } from './follow-file.js'
import { measureByPrograms } from './measure-by-programs.js'
import { createMeter } from './meter.js'
import { pipeThrough } from './program.js'
import { packingTools } from './tools.js'
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
  /** It is a tar: takes its entries, one after the other; what it throws is thrown. */
  readonly check?: EntryCheck | undefined
  /** Until this resolves more may come to the file. Default: nothing comes. */
  readonly end?: Promise<unknown>
}

/** For less it is not worth to start a process. */
const largeBytes = 1 << 22

/** Decompresses a file, and measures it before and after. */
export async function readCompressed(file: string, options: ReadOptions = {}): Promise<Measures> {
  const { end = Promise.resolve() } = options
  const isByPrograms = (await packingTools()).zstd !== undefined && (await becomesLarge(file, largeBytes, end))
  return isByPrograms ? measureByPrograms(file, { ...options, end }) : readInNode(file, { ...options, end })
}

async function readInNode(
  file: string,
  { signal, onBytes, check, end }: ReadOptions & { readonly end: Promise<unknown> },
): Promise<Measures> {
  const zstd = await decompressor()
  const plain = createMeter(onBytes)
  const stored = createMeter()
  const source = Readable.from(followFile(file, end), { objectMode: false })
  await pipeThrough(zstd, [source, stored.stream], [plain.stream, check ? inspectTar(check) : nowhere()], signal)
  const after = plain.measure()
  return { ...stored.measure(), plainSize: after.size, plainSha256: after.sha256 }
}

function nowhere(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() })
}
