import { Buffer } from 'node:buffer'
import type { Entry, ZipFile } from 'yauzl'
import yauzl from 'yauzl'
import { RestError } from '@steward/rest-core/errors'
import type { Attachments, ImportRecord } from './import-record.js'
import { fileError } from './import-record.js'
import { readCsv } from './read-csv.js'
import { readJson } from './read-json.js'
import { readXml } from './read-xml.js'
import type { Bytes } from './utf8.js'

/** What a ZIP may hold; not specified, chosen so that a small file cannot fill memory or disk. */
export interface ZipLimits {
  /** Default 100,000. */
  readonly entries?: number
  /** Bytes of all entries together when they are unpacked. Default 4 GiB. */
  readonly unpackedBytes?: number
}

type Reader = (bytes: Bytes, options: { file: string; attachments: Attachments }) => AsyncIterable<ImportRecord>

const readers: Readonly<Record<string, Reader>> = {
  xml: readXml,
  json: readJson,
  csv: (bytes, options) => readCsv(bytes, { ...options, object: objectOf(options.file) }),
}

/**
 * Records of the XML, JSON and CSV files at the top level of a ZIP, in the order of their names; documents refer to
 * entries in its folders. A CSV file is named after its object: `Movie.csv` or `02-Movie.csv`. Nothing is written to disk
 * and names are only compared, so that no name can reach outside.
 *
 * @param file on disk.
 * @throws RestError ERR_BAD_REQUEST naming the entry
 */
export async function* readZip(file: string, limits: ZipLimits = {}): AsyncGenerator<ImportRecord> {
  const zip = await openZip(file)
  try {
    const entries = await listEntries(zip, limits)
    const attachments: Attachments = { read: (path, maxBytes) => readEntry(zip, entries.get(path), maxBytes) }
    const names = [...entries.keys()].filter((name) => !name.includes('/') && readerOf(name)).toSorted()
    if (names.length === 0) throw fileError({}, 'The ZIP has no .xml, .json or .csv file at its top level.')
    for (const name of names) {
      const stream = await openEntry(zip, entries.get(name) as Entry)
      yield* (readerOf(name) as Reader)(stream, { file: name, attachments })
    }
  } finally {
    zip.close()
  }
}

function readerOf(name: string): Reader | undefined {
  return readers[/\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '']
}

/** `02-Movie.csv` → `Movie`. */
function objectOf(name: string): string {
  return name.replace(/^\d+[-_ ]/, '').replace(/\.csv$/i, '')
}

function openZip(file: string): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    // yauzl refuses names with "..", "\" or a leading "/", and entries that are longer than they say.
    yauzl.open(file, { lazyEntries: true, autoClose: false }, (error, zip) => {
      if (error) reject(notZip(error))
      else resolve(zip)
    })
  })
}

function listEntries(zip: ZipFile, limits: ZipLimits): Promise<Map<string, Entry>> {
  const { entries: most = 100_000, unpackedBytes = 4 * 2 ** 30 } = limits
  const entries = new Map<string, Entry>()
  let bytes = 0
  return new Promise((resolve, reject) => {
    zip.on('entry', (entry: Entry) => {
      const name = entry.fileName
      bytes += entry.uncompressedSize
      if (entries.size >= most) return reject(fileError({}, `The ZIP has more than ${most} entries.`))
      if (bytes > unpackedBytes)
        return reject(fileError({}, `The ZIP holds more than ${unpackedBytes} bytes when it is unpacked.`))
      if (entry.isEncrypted()) return reject(fileError({ file: name }, 'The entry is encrypted.'))
      if (entries.has(name)) return reject(fileError({ file: name }, 'The entry is there twice.'))
      if (!name.endsWith('/')) entries.set(name, entry)
      zip.readEntry()
    })
    zip.once('end', () => resolve(entries))
    zip.once('error', (error: Error) => reject(notZip(error)))
    zip.readEntry()
  })
}

/** The content of an entry; errors on the way name it. */
async function openEntry(zip: ZipFile, entry: Entry): Promise<AsyncGenerator<Uint8Array>> {
  const stream = await new Promise<AsyncIterable<Uint8Array>>((resolve, reject) => {
    zip.openReadStream(entry, (error, opened) => (error ? reject(damaged(entry, error)) : resolve(opened)))
  })
  return read()

  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      yield* stream
    } catch (error) {
      throw damaged(entry, error)
    }
  }
}

async function readEntry(zip: ZipFile, entry: Entry | undefined, maxBytes: number): Promise<Uint8Array | undefined> {
  if (!entry) return undefined
  if (entry.uncompressedSize > maxBytes)
    throw new RestError(
      'ERR_TOO_LARGE',
      `"${entry.fileName}" is larger than the ${maxBytes} bytes that the field takes.`,
    )
  const chunks: Uint8Array[] = []
  for await (const chunk of await openEntry(zip, entry)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function notZip(error: Error): RestError {
  return fileError({}, `The file is not a ZIP that can be read: ${error.message}`, error)
}

function damaged(entry: Entry, error: unknown): RestError {
  return fileError({ file: entry.fileName }, `The entry cannot be unpacked: ${(error as Error).message}`, error)
}
