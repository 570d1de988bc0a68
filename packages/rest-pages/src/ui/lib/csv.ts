import type { FieldMetadata } from '@steward/rest-core'
import { kindOf } from '@steward/page-kit/field-kinds'
import { escapeCell } from './csv-cell.js'
import { plainNumber } from './number-text.js'
import { textOf } from './value-text.js'

/** Lines with a head, as spreadsheets read them: with a byte order mark, and without formulas. */
export function csvOf(
  columns: readonly { readonly title: string; readonly field: FieldMetadata }[],
  records: readonly Readonly<Record<string, unknown>>[],
): Blob {
  const head = columns.map(({ title }) => escapeCell(title))
  const lines = records.map((record) => columns.map(({ field }) => escapeCell(exact(field, record[field.name]))))
  const text = [head, ...lines].map((cells) => `${cells.join(',')}\r\n`).join('')
  return new Blob(['\uFEFF', text], { type: 'text/csv;charset=utf-8' })
}

/** Numbers and dates as they travel, so that programs can read them. */
function exact(field: FieldMetadata, value: unknown): string {
  if (value !== null && value !== undefined && kindOf(field) === 'number') return plainNumber(value, field)
  return /^\d{4}-\d\d-\d\d/.test(String(value)) ? String(value) : textOf(field, value)
}
