import { jsonText } from '@steward/rest-core'
import type { ObjectExport } from './export-records.js'
import { StoredDocument, actionOf } from './export-records.js'
import type { DocumentReader } from './document-reader.js'

/** The text of a JSON file that `readJson` takes, in pieces. */
export async function* writeJson(
  exports: AsyncIterable<ObjectExport>,
  documents: DocumentReader,
): AsyncGenerator<string> {
  yield '{"objects":['
  let blocks = 0
  for await (const { object, columns, rows } of exports) {
    const head = { name: object.name, action: actionOf(object) }
    yield `${blocks++ > 0 ? ',' : ''}\n${JSON.stringify(head).slice(0, -1)},"data":[`
    let records = 0
    for await (const batch of rows) {
      for (const row of batch) {
        const members: string[] = []
        for (const [at, { name }] of columns.entries()) {
          const value = row[at]
          const shown = value instanceof StoredDocument ? await documents.inline(object, value) : value
          if (shown !== undefined) members.push(`${JSON.stringify(name)}:${jsonText(shown)}`)
        }
        yield `${records++ > 0 ? ',' : ''}\n{${members.join(',')}}`
      }
    }
    yield ']}'
  }
  yield '\n]}\n'
}
