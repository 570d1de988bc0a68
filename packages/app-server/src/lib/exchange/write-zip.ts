import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import type { ObjectModel } from '@steward/rest-core'
import type { DocumentReader } from './document-reader.js'
import type { ObjectExport, StoredDocument } from './export-records.js'
import { writeCsv } from './write-csv.js'

/**
 * A ZIP that `readZip` takes: `01-Genre.csv`, `02-Movie.csv` … in the order of the exports, and documents in `documents/`.
 * Streamed; what is kept in memory is the ids of the documents.
 */
export function writeZip(exports: AsyncIterable<ObjectExport>, documents: DocumentReader): Readable {
  const zip = new ZipFile()
  const output = zip.outputStream as Readable
  let current: Readable | undefined
  // The rest has no reader: what is being read must not wait for one.
  output.once('close', () => current?.destroy())
  write().catch((error: Error) => output.destroy(error))
  return output

  async function write(): Promise<void> {
    const stored: { object: ObjectModel; document: StoredDocument; file: string }[] = []
    let number = 0
    for await (const each of exports) {
      const { object } = each
      const csv = writeCsv(each, {
        async placeOf(document) {
          const { name, mime } = await documents.open(object, document)
          const file = `documents/${document.id}-${name.replace(/[^\p{L}\p{N}._-]/gu, '_')}`
          stored.push({ object, document, file })
          return { name, mime, file }
        },
      })
      await add(Readable.from(csv), `${String(++number).padStart(2, '0')}-${object.name}.csv`)
    }
    for (const { object, document, file } of stored) {
      const { open } = await documents.open(object, document)
      await add(await open(), file)
    }
    zip.end()
  }

  /** Resolves when the entry is written, so that one stream is open at a time. */
  async function add(content: Readable, path: string): Promise<void> {
    current = content
    if (output.destroyed) content.destroy()
    zip.addReadStream(content, path)
    await finished(content)
  }
}
