import type { FileHandle } from 'node:fs/promises'
import { Duplex, Readable, Writable } from 'node:stream'
import { refuseCommands, type Tail } from '@steward/db-adapters/server'
import { bothOf, pipeThrough } from '../../accounts/program.js'
import { toManagerError } from '../../databases/translated-server.js'
import type { StreamOptions } from '../../files/stream-options.js'
import { decryptor, type Stage } from './age.js'
import { createEntryCheck, inspectTar } from './check-entries.js'
import { becomesLarge, followFile } from './follow-file.js'
import { measureByPrograms } from './measure-by-programs.js'
import { createMeter } from './meter.js'
import type { Measures, ReadOptions } from './read-options.js'
import type { TarEntry } from './tar-reader.ts'
import { packingTools } from './tools.js'
import { unpackInto } from './unpack.js'
import { compressor, decompressor } from './zstd.js'

export interface StoreOptions extends StreamOptions {
  /** What comes before the file. Default: it is not encrypted. */
  readonly encrypt?: Stage | undefined
}

/** Compresses what comes into an empty file, which it closes, and which is not yet on the disk when this resolves. */
export async function storeCompressed(
  content: Readable,
  file: FileHandle,
  { signal, onBytes, encrypt }: StoreOptions = {},
): Promise<Measures> {
  const filter = await compressor(encrypt)
  const plain = createMeter(onBytes)
  const stored = createMeter()
  const sink = file.createWriteStream({ highWaterMark: 1 << 20 })
  const exitCodes = await pipeThrough(filter, [content, plain.stream], [stored.stream, sink], signal)
  const before = plain.measure()
  return { ...stored.measure(), plainSize: before.size, plainSha256: before.sha256, exitCodes }
}

/** For less it is not worth to start a process. */
const largeBytes = 1 << 22

/** Decompresses a file, and measures it before and after. */
export async function readCompressed(path: string, options: ReadOptions = {}): Promise<Measures> {
  const { end = Promise.resolve(), opener, into } = options
  const decrypt = opener && (await decryptor(opener))
  const tools = await packingTools()
  const isByPrograms =
    tools.zstd !== undefined &&
    (into === undefined || tools.tar !== undefined) &&
    (decrypt === undefined || 'command' in decrypt) &&
    (await becomesLarge(path, largeBytes, end))
  const reading = { ...options, end }
  return isByPrograms ? measureByPrograms(path, decrypt?.command, reading) : readByStreams(path, decrypt, reading)
}

async function readByStreams(
  path: string,
  decrypt: Stage | undefined,
  { signal, onBytes, tar, dump, into, tail, limit, end }: ReadOptions & { readonly end: Promise<unknown> },
): Promise<Measures> {
  const filter = await decompressor(decrypt)
  const plain = createMeter(onBytes, limit)
  const stored = createMeter()
  const source = Readable.from(followFile(path, end), { objectMode: false })
  const check = tar && createEntryCheck(tar)
  let entries = 0
  const count = (entry: TarEntry) => {
    entries++
    check?.(entry)
  }
  const { sink, done } = into && tar ? await unpackInto(into, tar) : { sink: sinkOf(tail), done: Promise.resolve() }
  const through = pipeThrough(
    filter,
    [source, stored.stream],
    [plain.stream, ...(check ? [inspectTar(count)] : []), ...refusing(dump), sink],
    signal,
  )
  await bothOf(through, done)
  const after = plain.measure()
  return { ...stored.measure(), plainSize: after.size, plainSha256: after.sha256, ...(tar && { entries }) }
}

/** Lets a dump through, up to what its client would do itself. */
function refusing(type: string | undefined): readonly Duplex[] {
  const refuse = type === undefined ? undefined : refuseCommands(type)
  if (!refuse) return []
  return [
    Duplex.from(async function* (source: AsyncIterable<Buffer>) {
      try {
        yield* refuse(source)
      } catch (error) {
        throw toManagerError(error)
      }
    }),
  ]
}

function sinkOf(tail: Tail | undefined): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      tail?.add(chunk)
      done()
    },
  })
}
