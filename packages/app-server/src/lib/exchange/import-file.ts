import { createReadStream } from 'node:fs'
import type { BusinessObjects, Principal } from '@steward/rest-core'
import { RestError } from '@steward/rest-core/errors'
import type { ImportAction, ImportRecord } from './import-record.js'
import type { ImportReport } from './import-records.js'
import { importRecords } from './import-records.js'
import { hashPasswordsOf } from './password-bodies.js'
import { readCsv } from './read-csv.js'
import { readJson } from './read-json.js'
import { readXml } from './read-xml.js'
import { readZip } from './read-zip.js'
import type { FileFormat } from './write-file.js'

export interface ImportFileOptions {
  readonly format: FileFormat
  /** On disk. */
  readonly path: string
  /** For messages. Default none. */
  readonly name?: string | undefined
  /** For CSV: whose records they are. */
  readonly object?: string | undefined
  /** For CSV. Default upsert. */
  readonly action?: ImportAction | undefined
}

/** Imports a file as one transaction. @throws RestError with all that is wrong, each with its line or record */
export async function importFile(
  service: BusinessObjects,
  principal: Principal,
  options: ImportFileOptions,
): Promise<ImportReport> {
  const bodies = await hashPasswordsOf(service, principal, options.path, () => read(options))
  return importRecords(service, principal, read(options), bodies)
}

function read({ format, path, name: file, object, action = 'upsert' }: ImportFileOptions): AsyncIterable<ImportRecord> {
  switch (format) {
    case 'xml':
      return readXml(createReadStream(path), { file })
    case 'json':
      return readJson(createReadStream(path), { file })
    case 'zip':
      return readZip(path)
    case 'csv':
      if (!object) throw new RestError('ERR_BAD_REQUEST', 'CSV needs the object whose records it holds.')
      return readCsv(createReadStream(path), { object, action, file })
  }
}
