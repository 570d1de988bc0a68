import { baseField } from '../model/model.js'
import type { FieldValue } from '../fields/field-value.js'
import type { BusinessRecord, ObjectModel, ReadableField } from '../model/model.js'
import { cleanXml, escapeCsv, escapeXml, textOf } from './escape.js'

/** Records in batches, as a search gives them. */
export type Batches = AsyncIterable<readonly BusinessRecord[]>

/** What heads a column: the label of the field, after those of the references that lead to it. */
export function headingOf(field: ReadableField): string {
  return [...field.path, baseField(field)].map(({ label }) => label).join(' / ')
}

/** The value as people read it. */
export function shownText(field: ReadableField, value: FieldValue | undefined): string {
  return value === undefined || value === null ? '' : field.type.format(value, baseField(field))
}

/** A table as CSV (RFC 4180): labels first, then a line per record. */
export async function* csvTable(columns: readonly ReadableField[], batches: Batches): AsyncGenerator<string> {
  yield line(columns.map(headingOf))
  for await (const batch of batches) {
    yield batch.map((record) => line(columns.map((field) => shownText(field, record[field.name])))).join('')
  }
}

function line(cells: readonly string[]): string {
  return `${cells.map(escapeCsv).join(',')}\r\n`
}

/** A JSON array of records with these fields, or the record alone. */
export async function* jsonTable(
  columns: readonly ReadableField[],
  batches: Batches,
  single: boolean,
): AsyncGenerator<string> {
  const names = columns.map(({ name }) => name)
  let between = ''
  if (!single) yield '['
  for await (const batch of batches) {
    yield (
      between +
        batch.map((record) => JSON.stringify(Object.fromEntries(names.map((name) => [name, record[name]])))).join(',')
    )
    between = ','
  }
  if (!single) yield ']'
}

/** `<MovieList><Movie><mov_title>…</mov_title>…</Movie>…</MovieList>`, or the record alone. */
export async function* xmlTable(
  object: ObjectModel,
  columns: readonly ReadableField[],
  batches: Batches,
  single: boolean,
): AsyncGenerator<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n'
  if (!single) yield `<${object.name}List>\n`
  for await (const batch of batches) {
    yield batch
      .map((record) => {
        const elements = columns.map(({ name }) => `  <${name}>${xmlValue(record[name])}</${name}>\n`)
        return `<${object.name}>\n${elements.join('')}</${object.name}>\n`
      })
      .join('')
  }
  if (!single) yield `</${object.name}List>\n`
}

function xmlValue(value: FieldValue | undefined): string {
  if (Array.isArray(value)) return value.map((item) => `<value>${escapeXml(textOf(item))}</value>`).join('')
  return escapeXml(textOf(value))
}

/** A text without characters that documents of XML cannot hold. */
export function cleanText(field: ReadableField, value: FieldValue | undefined): string {
  return cleanXml(shownText(field, value))
}
