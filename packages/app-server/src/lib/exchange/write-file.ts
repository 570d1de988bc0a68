import { Buffer } from 'node:buffer'
import { Readable } from 'node:stream'
import type { BusinessObjects, Principal } from '@steward/rest-core'
import { RestError } from '@steward/rest-core/errors'
import { dependencyOrder } from './dependency-order.js'
import { createDocumentReader } from './document-reader.js'
import type { ExportOptions, ObjectExport } from './export-records.js'
import { exportRecords } from './export-records.js'
import { writeCsv } from './write-csv.js'
import { writeJson } from './write-json.js'
import { writeXml } from './write-xml.js'
import { writeZip } from './write-zip.js'

/** Forms of files, with their media types. */
export const fileFormats = {
  xml: 'application/xml; charset=utf-8',
  json: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
  zip: 'application/zip',
} as const

export type FileFormat = keyof typeof fileFormats

/**
 * Writes the records of objects to a file that an import takes: objects in the order in which they can be created, records
 * in the order in which they were. Streamed.
 *
 * @param names several only where the format takes them (all but CSV).
 * @throws RestError before the first byte for what cannot be exported; later errors end the stream.
 */
export async function exportFile(
  service: BusinessObjects,
  principal: Principal,
  format: FileFormat,
  names: readonly string[],
  options: ExportOptions = {},
): Promise<Readable> {
  const objects = dependencyOrder([...new Set(names)].map((name) => service.model.object(name)))
  const [first, ...others] = objects
  if (!first || (format === 'csv' && others.length > 0))
    throw new RestError('ERR_BAD_REQUEST', `Name ${format === 'csv' ? 'one object' : 'an object'} to export.`)
  const isFiltered = options.expression !== undefined || Object.keys(options.filters ?? {}).length > 0
  if (isFiltered && others.length > 0) throw new RestError('ERR_BAD_REQUEST', 'Filters need one object.')
  const begun = await exportRecords(service, principal, first, options)
  const documents = createDocumentReader(service, principal)
  if (format === 'zip') return writeZip(all(), documents)
  const texts = {
    csv: () => writeCsv(begun),
    json: () => writeJson(all(), documents),
    xml: () => writeXml(all(), documents),
  }
  return Readable.from(inChunks(texts[format]()))

  async function* all(): AsyncGenerator<ObjectExport> {
    yield begun
    for (const object of others) yield exportRecords(service, principal, object, options)
  }
}

/** Not specified; chosen because many small chunks cost more than they hold. */
const chunkCharacters = 65_536

async function* inChunks(texts: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let chunk = ''
  for await (const text of texts) {
    chunk += text
    if (chunk.length < chunkCharacters) continue
    yield Buffer.from(chunk)
    chunk = ''
  }
  if (chunk !== '') yield Buffer.from(chunk)
}
