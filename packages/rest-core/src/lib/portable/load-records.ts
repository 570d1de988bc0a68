import { RestError, StoreError } from '../../errors.js'
import type { FieldValue } from '../fields/field-value.js'
import { readJsonText } from '../fields/json-text.js'
import { withWords } from '../index-search/record-words.js'
import { tableObjects, type Model, type ObjectModel } from '../model/model.js'
import type { InsertRows, ObjectStore, Values } from '../store.js'
import { storedFields } from './dump-records.js'
import { formatName, formatVersion } from './format.js'
import type { DumpEnd, DumpHeader, ObjectHeader, PortableOptions } from './format.js'
import { readLines } from './read-lines.js'

export interface LoadRecordsOptions extends PortableOptions {
  readonly model: Model
  /** Its tables are there and empty. */
  readonly store: ObjectStore
}

/** Rows of one insert. */
const batchSize = 500

/**
 * Fills an empty database with the records of a dump, as one transaction: row ids stay, later ones continue after them,
 * and the words of indexed objects are worked out again. Memory stays flat.
 *
 * @returns rows by object
 * @throws RestError ERR_BAD_REQUEST naming the line of a dump that is damaged, cut off or of another application;
 *   ERR_CONFLICT when the database is not empty. StoreError: `reference` …
 */
export async function loadRecords(
  { model, store, onProgress }: LoadRecordsOptions,
  content: AsyncIterable<Uint8Array>,
): Promise<Readonly<Record<string, number>>> {
  if (!store.load)
    throw new StoreError('internal', `A store of type "${store.capabilities.name}" cannot be filled from a dump.`)
  await requireEmpty(model, store)
  const tables = { ...model, objects: new Map(tableObjects(model).map((object) => [object.name, object])) }
  return store.load(tables, (insert) => loadLines(model, content, insert, onProgress))
}

async function requireEmpty(model: Model, store: ObjectStore): Promise<void> {
  for (const object of tableObjects(model)) {
    const rows = await store.count(object)
    if (rows === 0) continue
    const text = `The database is not empty: it has ${rows} records of ${object.name}. Load the dump into a new one.`
    throw new RestError('ERR_CONFLICT', text)
  }
}

async function loadLines(
  model: Model,
  content: AsyncIterable<Uint8Array>,
  insert: InsertRows,
  onProgress: PortableOptions['onProgress'],
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {}
  let number = 0
  let current: { readonly object: ObjectModel; readonly fields: readonly string[] } | undefined
  let batch: Values[] = []
  let end: DumpEnd['end'] | undefined

  try {
    for await (const text of readLines(content)) {
      number++
      if (end) throw wrong('there is text after its end')
      const value = parse(text)
      if (number === 1) checkHeader(value)
      else if (Array.isArray(value)) await addRow(value as FieldValue[])
      else await beginOrEnd(value as Partial<ObjectHeader & DumpEnd>)
    }
  } catch (error) {
    // TextDecoder
    if (error instanceof TypeError && (error as { code?: string }).code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      throw wrong('it is not valid UTF-8')
    throw error
  }
  if (!end) throw wrong('it is incomplete')
  return counts

  async function beginOrEnd(value: Partial<ObjectHeader & DumpEnd> | null): Promise<void> {
    await flush()
    if (value?.end) {
      end = value.end
      for (const name of new Set([...Object.keys(end), ...Object.keys(counts)]))
        if (end[name] !== counts[name])
          throw wrong(`it has ${counts[name] ?? 'no'} records of ${name}, and says that it has ${end[name] ?? 'none'}`)
      return
    }
    const { object: name, fields } = value ?? {}
    if (typeof name !== 'string' || !Array.isArray(fields)) throw wrong('the line is neither an object nor a record')
    const object = model.objects.get(name)
    if (!object) throw wrong(`the application has no object "${name}"`)
    if (counts[name] !== undefined) throw wrong(`"${name}" comes twice`)
    const known = new Set(storedFields(object).fields.map((field) => field.name))
    const unknown = fields.find((field) => !known.has(field))
    if (unknown !== undefined) throw wrong(`"${name}" has no field "${unknown}" in the application`)
    if (fields[0] !== 'row_id') throw wrong(`the records of "${name}" have no row ids`)
    counts[name] = 0
    current = { object, fields }
  }

  async function addRow(row: readonly FieldValue[]): Promise<void> {
    if (!current || row.length !== current.fields.length) throw wrong('the record has other fields than its object')
    const { object, fields } = current
    const values = Object.fromEntries(fields.map((name, at) => [name, row[at] as FieldValue]))
    if (typeof values['row_id'] !== 'string' || values['row_id'] === '') throw wrong('the record has no row id')
    batch.push(object.index ? withWords(object.index, values) : values)
    counts[object.name] = (counts[object.name] ?? 0) + 1
    if (batch.length === batchSize) await flush()
  }

  async function flush(): Promise<void> {
    if (!current || batch.length === 0) return
    const rows = batch
    batch = []
    await insert(current.object, rows)
    onProgress?.(current.object.name, counts[current.object.name] as number)
  }

  function parse(text: string): unknown {
    try {
      return readJsonText(text)
    } catch {
      throw wrong('the line is damaged, or the dump is incomplete')
    }
  }

  function checkHeader(value: unknown): void {
    const { format, version } = (value ?? {}) as Partial<DumpHeader>
    if (format !== formatName) throw wrong('it is not a dump of records')
    if (version !== formatVersion) throw wrong(`its format has version ${version}; this program knows ${formatVersion}`)
  }

  function wrong(what: string): RestError {
    return new RestError('ERR_BAD_REQUEST', `The dump cannot be loaded, line ${Math.max(number, 1)}: ${what}.`)
  }
}
