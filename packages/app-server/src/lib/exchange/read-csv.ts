import { Readable, pipeline } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import type { Attachments, ImportAction, ImportRecord, FilePlace } from './import-record.js'
import { fileError } from './import-record.js'
import type { Bytes } from './utf8.js'
import { decodeUtf8 } from './utf8.js'

export interface CsvOptions {
  /** CSV holds the records of one object. */
  readonly object: string
  /** Default upsert. */
  readonly action?: ImportAction
  /** Name for messages. */
  readonly file?: string | undefined
  readonly attachments?: Attachments | undefined
}

/** Columns of a file. Not specified; chosen as what databases have at most, twice. */
const mostColumns = 4_000

/** Characters of the first line. */
const longestHeader = 1_000_000

/** Not specified; chosen above any document as base64 that a field takes by default. */
const longestRecord = 200_000_000

/**
 * Records of a CSV file (RFC 4180, UTF-8): the first line names the fields; `,`, `;`, tabs or `|` separate, whichever it has
 * most of, or what a line `sep=;` before it says. Lines may end in any way, each in its own. Streamed: memory does not grow
 * with the file.
 *
 * @throws RestError ERR_BAD_REQUEST with the line
 */
export async function* readCsv(bytes: Bytes, options: CsvOptions): AsyncGenerator<ImportRecord> {
  const { object, action = 'upsert', file, attachments } = options
  const texts = decodeUtf8(bytes, { file })
  const { start, separator, lines: before } = await readHeader(texts, file)
  const parser = parse({
    delimiter: separator,
    info: true,
    skip_empty_lines: true,
    max_record_size: longestRecord,
    // By default all lines have to end as the first one does.
    record_delimiter: ['\r\n', '\n', '\r'],
  })
  // The loop below gets the error of any of the streams.
  pipeline(Readable.from(chain(start, texts)), parser, () => {})
  let names: readonly string[] | undefined
  let line = before + 1
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
      if (names) {
        const place: FilePlace = { file, line }
        if (record.slice(names.length).some((value) => value !== ''))
          throw fileError(place, 'There is a value in a column that has no name in the first line.')
        const values = new Map(names.map((name, at) => [name, record[at]]))
        yield { object, action, values, isText: true, place, attachments }
      } else names = checkNames(record, { file, line })
      line = before + info.lines + 1
    }
  } catch (error) {
    if (error instanceof CsvError)
      throw fileError({ file, line: before + (error.lines as number) }, explain(error), error)
    throw error
  }
  if (!names) throw fileError({ file }, 'The file is empty; its first line must name the fields.')
}

function checkNames(names: readonly string[], place: FilePlace): string[] {
  if (names.length > mostColumns) throw tooManyColumns(place)
  const trimmed = names.map((name) => name.trim())
  // Spreadsheets write columns that were used once.
  while (trimmed.length > 1 && trimmed.at(-1) === '') trimmed.pop()
  if (trimmed.includes('')) throw fileError(place, 'A column has no name.')
  const seen = new Set<string>()
  for (const name of trimmed) {
    if (seen.has(name)) throw fileError(place, `Column "${name.slice(0, 100)}" is there twice.`)
    seen.add(name)
  }
  return trimmed
}

function tooManyColumns(place: FilePlace): Error {
  return fileError(place, `The first line names more than ${mostColumns} columns.`)
}

function explain({ code, message }: CsvError): string {
  switch (code) {
    case 'CSV_RECORD_INCONSISTENT_FIELDS_LENGTH':
      return 'The record has another number of values than the first line has names.'
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'A quote is not closed.'
    case 'CSV_INVALID_CLOSING_QUOTE':
      return 'A quote is closed within a value; write "" for a quote.'
    case 'INVALID_OPENING_QUOTE':
      return 'There is a quote inside a value. Put the whole value in quotes, and write "" for each quote in it.'
    default:
      return message
  }
}

/** In the order in which they are preferred. */
const separators = [',', ';', '\t', '|'] as const

/** As spreadsheets write and read it before the first line. */
const separatorLine = /^sep=([,;\t|])(?:\r\n|\n|\r(?=[^\n]))/i

/** The file's start, up to the end of the line that names the fields, its separator, and how many lines came before. */
async function readHeader(
  texts: AsyncIterator<string>,
  file: string | undefined,
): Promise<{ start: string; separator: string; lines: number }> {
  let start = ''
  // One character more, since \r and \n may come in two pieces.
  while (!/[\r\n]./s.test(start) && start.length < longestHeader) {
    const { done, value } = await texts.next()
    if (done) break
    start += value
  }
  const [said = '', separator] = separatorLine.exec(start) ?? []
  if (separator !== undefined) return { start: start.slice(said.length), separator, lines: 1 }
  const [line = ''] = start.split(/[\r\n]/, 1)
  const bare = line.replace(/"[^"]*"/g, '')
  const countOf = (one: string) => bare.split(one).length
  const most = separators.reduce((one, other) => (countOf(other) > countOf(one) ? other : one))
  if (countOf(most) > mostColumns) throw tooManyColumns({ file, line: 1 })
  return { start, separator: most, lines: 0 }
}

async function* chain(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  if (first !== '') yield first
  yield* rest
}
