import { readJsonText } from '@steward/rest-core'
import type { Attachments, ImportRecord, FilePlace } from './import-record.js'
import { fileError, readAction } from './import-record.js'
import { createShapeCheck } from './json-shape.js'
import type { Bytes } from './utf8.js'
import { readText } from './utf8.js'

export interface FileOptions {
  /** Name for messages. */
  readonly file?: string | undefined
  readonly attachments?: Attachments | undefined
}

/** Not specified; chosen because the whole file is in memory. */
const mostCharacters = 64 * 2 ** 20

/**
 * Records of `{"objects": [{"name", "action", "data": […]}]}`, or of the list alone; `data` is one record or a list.
 *
 * @throws RestError ERR_BAD_REQUEST with line and column, or the record's number
 */
export async function* readJson(bytes: Bytes, { file, attachments }: FileOptions = {}): AsyncGenerator<ImportRecord> {
  const text = await readText(bytes, mostCharacters, { file }, createShapeCheck({ file }))
  const parsed = parse(text, { file })
  const blocks: unknown = Array.isArray(parsed) ? parsed : isRecord(parsed) ? parsed['objects'] : undefined
  if (!Array.isArray(blocks))
    throw fileError({ file }, 'The file must be {"objects": […]} or a list of {"name", "action", "data"}.')
  let record = 0
  for (const [at, block] of (blocks as unknown[]).entries()) {
    const where = `Block ${at + 1}`
    if (!isRecord(block)) throw fileError({ file }, `${where} must be an object with "name", "action" and "data".`)
    const { name, action, data } = block
    if (typeof name !== 'string' || name === '')
      throw fileError({ file }, `${where} needs a "name", the one of an object.`)
    if (action !== undefined && typeof action !== 'string')
      throw fileError({ file }, `${where}: "action" must be a text.`)
    if (data === undefined) throw fileError({ file }, `${where} needs "data", a record or a list of records.`)
    for (const values of Array.isArray(data) ? (data as unknown[]) : [data]) {
      const place: FilePlace = { file, record: ++record }
      if (!isRecord(values)) throw fileError(place, 'A record must be an object of values by field.')
      yield {
        object: name,
        action: readAction(action, { file }),
        values: new Map(Object.entries(values)),
        isText: false,
        place,
        attachments,
      }
    }
  }
}

function parse(text: string, place: FilePlace): unknown {
  try {
    return readJsonText(text)
  } catch (cause) {
    throw fileError(place, `The file is not JSON: ${(cause as Error).message}`, cause)
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
