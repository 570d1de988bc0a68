import { stringify } from 'csv-stringify/sync'
import type { FieldValue } from '@steward/rest-core'
import type { ObjectExport } from './export-records.js'
import { StoredDocument, textOf, valueField } from './export-records.js'
import type { ExportColumn } from './export-columns.js'

export interface CsvWriteOptions {
  /** Name, media type and place of a document, for a ZIP. Default: a CSV file has no columns for documents. */
  readonly placeOf?: (document: StoredDocument) => Promise<{ name: string; mime: string; file: string }>
}

const parts = ['name', 'mime', 'file'] as const

/**
 * The text of a CSV file that `readCsv` takes, in pieces: separated by commas, lines end with CR LF. Values are written as
 * they are, also those that a spreadsheet would take for a formula.
 */
export async function* writeCsv(
  { object, columns: all, rows }: ObjectExport,
  { placeOf }: CsvWriteOptions = {},
): AsyncGenerator<string> {
  const isDocument = ({ field }: ExportColumn) => object.documents.includes(field)
  const columns = [...all.entries()].filter(([, column]) => placeOf !== undefined || !isDocument(column))
  const names = columns.flatMap(([, column]) =>
    isDocument(column) ? parts.map((part) => `${column.name}.${part}`) : [column.name],
  )
  yield lines([names])
  for await (const batch of rows) {
    const texts: string[][] = []
    for (const row of batch) {
      const cells: string[] = []
      for (const [at, column] of columns) {
        const value = row[at]
        if (!isDocument(column)) cells.push(textOf((value ?? null) as FieldValue, valueField(column)))
        else if (value instanceof StoredDocument && placeOf) {
          const place = await placeOf(value)
          cells.push(...parts.map((part) => place[part]))
        } else cells.push(...parts.map(() => ''))
      }
      texts.push(cells)
    }
    yield lines(texts)
  }
}

function lines(texts: readonly (readonly string[])[]): string {
  return stringify(texts as string[][], {
    record_delimiter: '\r\n',
    quoted_match: /[\r\n]|^\s|\s$/,
    // An empty value alone in its line would be no line.
    quoted_empty: texts[0]?.length === 1,
  })
}
