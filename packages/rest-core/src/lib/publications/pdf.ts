import type { TableCell, TDocumentDefinitions } from 'pdfmake/interfaces.js'
import { RestError } from '../../errors.js'
import type { DocumentStore } from '../documents/document-store.js'
import { baseField } from '../model/model.js'
import type { BusinessRecord, ReadableField } from '../model/model.js'
import type { Caller } from '../caller.js'
import { needPackage } from './optional-package.js'
import { loadPicture, pictureBudget } from './pictures.js'
import { makeInThread } from './publication-thread.js'
import { headingOf, shownText } from './table.js'

/**
 * Makes a PDF of a document definition of pdfmake.
 *
 * @param definition plain data, laid out in a thread of its own.
 * @param where names the publication, for errors.
 * @throws RestError ERR_INTERNAL for a definition that cannot be, saying why.
 */
export async function makePdf(
  definition: TDocumentDefinitions,
  where: string,
  { caller, pageNumbers = false }: { readonly caller: Caller; readonly pageNumbers?: boolean },
): Promise<Buffer> {
  await needPackage('A publication of the format pdf', 'pdfmake')
  const answer = await makeInThread({ kind: 'pdf', definition, pageNumbers }, caller)
  if ('content' in answer) return Buffer.from(answer.content.buffer)
  throw new RestError('ERR_INTERNAL', `${where}: the PDF could not be created: ${answer.failed}`)
}

/** More columns are easier to read on a page that is wider than high. */
const mostPortraitColumns = 5

/** A title and a table of the records. */
export async function tableDefinition(
  title: string,
  columns: readonly ReadableField[],
  records: readonly BusinessRecord[],
  { documents, caller }: { readonly documents: DocumentStore | undefined; readonly caller: Caller },
): Promise<TDocumentDefinitions> {
  const spend = pictureBudget()
  const head = columns.map((field): TableCell => ({ text: headingOf(field), bold: true, fillColor: '#eeeeee' }))
  const body: TableCell[][] = [head]
  for (const record of records) {
    const row: TableCell[] = []
    for (const field of columns) row.push(await cell(field, record))
    body.push(row)
  }
  return {
    info: { title },
    pageSize: 'A4',
    pageOrientation: columns.length > mostPortraitColumns ? 'landscape' : 'portrait',
    pageMargins: 40,
    defaultStyle: { fontSize: 9 },
    content: [
      { text: title, fontSize: 16, bold: true, margin: [0, 0, 0, 10] },
      { table: { headerRows: 1, widths: columns.map(() => '*'), body }, layout: 'lightHorizontalLines' },
    ],
  }

  async function cell(field: ReadableField, record: BusinessRecord): Promise<TableCell> {
    const value = record[field.name]
    const { name } = baseField(field).type
    if (name === 'image') {
      const id = value as string
      const picture = id && documents && (await loadPicture(documents, id, { thumbnail: true, caller, spend }))
      return picture ? { image: `data:${picture.mime};base64,${picture.bytes.toString('base64')}`, fit: [60, 60] } : ''
    }
    const isNumber = name === 'integer' || name === 'decimal'
    return { text: shownText(field, value), ...(isNumber && { alignment: 'right' }) }
  }
}
