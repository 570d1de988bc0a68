import { Buffer } from 'node:buffer'
import type { ObjectModel } from '@steward/rest-core'
import type { DocumentReader } from './document-reader.js'
import type { ExportColumn } from './export-columns.js'
import type { ExportRow, ObjectExport } from './export-records.js'
import { StoredDocument, actionOf, textOf, valueField } from './export-records.js'

/** The text of an XML file that `readXml` takes, in pieces. */
export async function* writeXml(
  exports: AsyncIterable<ObjectExport>,
  documents: DocumentReader,
): AsyncGenerator<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n<objects>\n'
  for await (const { object, columns, rows } of exports) {
    yield `<object>\n<name>${object.name}</name>\n<action>${actionOf(object)}</action>\n`
    for await (const batch of rows) for (const row of batch) yield await recordXml(object, columns, row, documents)
    yield '</object>\n'
  }
  yield '</objects>\n'
}

async function recordXml(
  object: ObjectModel,
  columns: readonly ExportColumn[],
  row: ExportRow,
  documents: DocumentReader,
): Promise<string> {
  let text = '<data>'
  for (const [at, column] of columns.entries()) {
    const value = row[at]
    if (value instanceof StoredDocument) {
      const parts = Object.entries(await documents.inline(object, value))
      text += parts.map(([part, content]) => element(`${column.name}.${part}`, content)).join('')
    } else text += element(column.name, textOf(value ?? null, valueField(column)))
  }
  return `${text}</data>\n`
}

/** Characters that XML cannot hold, not even escaped. */
// oxlint-disable-next-line no-control-regex
const unwritable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/

function element(name: string, value: string): string {
  if (value === '') return `<${name}/>`
  if (unwritable.test(value)) return `<${name} encoding="base64">${Buffer.from(value).toString('base64')}</${name}>`
  return `<${name}>${value.replace(/[&<>\r]/g, (character) => escapes[character] ?? '')}</${name}>`
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' }
