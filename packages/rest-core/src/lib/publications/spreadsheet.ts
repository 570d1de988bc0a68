import { RestError } from '../../errors.js'
import type { FieldValue } from '../fields/field-value.js'
import { shownScale } from '../fields/decimal.js'
import { baseField } from '../model/model.js'
import type { BusinessRecord, ReadableField } from '../model/model.js'
import type { Caller } from '../caller.js'
import { needPackage } from './optional-package.js'
import { makeInThread } from './publication-thread.js'
import type { SheetCell } from './publication.worker.js'
import { cleanText, headingOf } from './table.js'

/** Most characters of a cell. Source: Excel specifications and limits. */
const longestText = 32_767

/** A spreadsheet: labels in the first row, then typed cells. */
export async function makeSpreadsheet(
  title: string,
  columns: readonly ReadableField[],
  records: readonly BusinessRecord[],
  caller: Caller,
): Promise<Buffer> {
  await needPackage('A publication of the format xlsx', 'write-excel-file')
  const head = columns.map((field): SheetCell => ({ value: headingOf(field), type: 'String', fontWeight: 'bold' }))
  const rows = records.map((record) => columns.map((field) => cellOf(field, record[field.name])))
  const options = {
    sheet: sheetName(title),
    stickyRowsCount: 1,
    columns: columns.map((field) => ({ width: widthOf(field) })),
  }
  const answer = await makeInThread({ kind: 'xlsx', rows: [head, ...rows], options }, caller)
  if ('content' in answer) return Buffer.from(answer.content.buffer)
  throw new RestError('ERR_INTERNAL', `The spreadsheet could not be created: ${answer.failed}`)
}

function cellOf(field: ReadableField, value: FieldValue | undefined): SheetCell | null {
  const { name } = baseField(field).type
  if (value === undefined || value === null || value === '') return null
  // A number that no double holds stays a text with all its digits.
  if (typeof value === 'number') {
    const own = baseField(field)
    const zeros = name === 'decimal' ? shownScale(own) : 0
    return { value, type: 'Number', ...(zeros > 0 && { format: `0.${'0'.repeat(zeros)}` }) }
  }
  if (typeof value === 'boolean') return { value, type: 'Boolean' }
  // Dates of spreadsheets start in 1900.
  if (name === 'date' && (value as string) >= '1900-03-01')
    return { value: new Date(`${value as string}T00:00:00Z`), type: 'Date', format: 'yyyy-mm-dd' }
  if (name === 'datetime' && (value as string) >= '1900-03-01')
    return { value: new Date(`${(value as string).replace(' ', 'T')}Z`), type: 'Date', format: 'yyyy-mm-dd hh:mm:ss' }
  const text = cleanText(field, value)
  return text === '' ? null : { value: text.slice(0, longestText), type: 'String' }
}

function widthOf(field: ReadableField): number {
  return Math.max(12, Math.min(40, headingOf(field).length + 4))
}

/** Source: Excel: at most 31 characters, without `[]:*?/\`, no quotes at the ends. */
function sheetName(title: string): string {
  const name = [...title.replaceAll(/[[\]:*?/\\]+/g, ' ').replaceAll(/^[' ]+|[' ]+$/g, '')].slice(0, 31).join('').trim()
  return name === '' ? 'Records' : name
}
