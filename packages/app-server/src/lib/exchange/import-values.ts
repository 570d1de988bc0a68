import { Buffer } from 'node:buffer'
import { basename } from 'node:path'
import { readJsonText } from '@steward/rest-core'
import type { FieldModel, ObjectModel } from '@steward/rest-core'
import type { ErrorMessage } from '@steward/rest-core/errors'
import { RestError, mostMessages } from '@steward/rest-core/errors'
import type { ImportRecord } from './import-record.js'
import type { KeyReferences, KeyValues } from './key-references.js'

/** The values of a record as the service takes them. */
export interface ImportValues {
  readonly values: Record<string, unknown>
  /** References to records that are not there, perhaps only not yet. */
  readonly pending: readonly PendingReference[]
  /** References whose record was found; the service need not say that it is missing. */
  readonly found: ReadonlySet<string>
}

export interface PendingReference {
  readonly field: FieldModel
  readonly key: KeyValues
  /** Without the fields that make the reference: until they are set, it refers to nothing. */
  readonly values: Readonly<Record<string, unknown>>
}

interface DocumentParts {
  name?: unknown
  mime?: unknown
  content?: unknown
  file?: unknown
}

/** Names in one record. Not specified; chosen as what databases have columns at most, twice. */
const mostNames = 4_000
/** Parts of a name: fields of keys of references in keys. */
const deepestPath = 20

/** Not specified; the default of document fields. */
const defaultMaxBytes = 100 * 2 ** 20

/**
 * Turns what stands in a file into values: `fk.field` into row ids, parts of documents into documents, JSON texts into
 * JSON. Unknown names are left as they are, for the service to refuse.
 *
 * @param values gets them. Default: a new object without a prototype, since files choose the names.
 * @throws RestError ERR_VALIDATION with all that is wrong
 */
export async function readValues(
  object: ObjectModel,
  record: ImportRecord,
  references: KeyReferences,
  values: Record<string, unknown> = Object.create(null) as Record<string, unknown>,
): Promise<ImportValues> {
  const keys = new Map<FieldModel, KeyValues>()
  const documents = new Map<FieldModel, DocumentParts>()
  const messages: ErrorMessage[] = []
  const fields = new Map([object.id, ...object.fields, ...object.technical].map((field) => [field.name, field]))

  if (record.values.size > mostNames) throw tooManyNames(record)
  for (const [name, value] of record.values) {
    if (messages.length > mostMessages) break
    collect(name, value)
  }
  for (const [field, parts] of documents) await attempt(async () => readDocument(field, parts))
  const missing: (readonly [FieldModel, KeyValues])[] = []
  const found = new Set<string>()
  for (const [field, key] of keys) await attempt(async () => readReference(field, key))
  if (messages.length > 0) throw RestError.validation(messages)
  const pending = missing.map(([field, key]) => ({ field, key, values: holdBack(field) }))
  return { values, pending, found }

  function collect(name: string, value: unknown): void {
    const [head = '', ...path] = name.split('.', deepestPath + 1)
    if (path.length === deepestPath) {
      messages.push(invalid(head, `"${name.slice(0, 100)}" has more than ${deepestPath} parts.`))
      return
    }
    const field = fields.get(head)
    if (field && path.length > 0) {
      if (field.type.name === 'reference') return addKey(field, path, value)
      if (object.documents.includes(field)) return addPart(field, path, value)
      messages.push(invalid(name, `"${name.slice(0, 100)}": "${head}" is neither a reference nor a document.`))
    } else if (field && object.documents.includes(field)) documents.set(field, wholeDocument(value))
    else values[name] = field?.type.name === 'object' && record.isText ? parseJson(name, value) : value
  }

  function addKey(field: FieldModel, path: readonly string[], value: unknown): void {
    if (record.values.has(field.name))
      return void messages.push(invalid(field.name, `"${field.name}" is given by row id and by key; give one of them.`))
    let key = keys.get(field)
    if (!key) keys.set(field, (key = new Map()))
    for (const step of path.slice(0, -1)) {
      let next = key.get(step)
      if (!(next instanceof Map)) key.set(step, (next = new Map()))
      key = next as KeyValues
    }
    key.set(path.at(-1) as string, value)
  }

  function addPart(field: FieldModel, path: readonly string[], value: unknown): void {
    const [part = ''] = path
    const parts = documents.get(field) ?? {}
    if (path.length > 1 || !['name', 'mime', 'content', 'file'].includes(part))
      messages.push(invalid(field.name, `"${field.name}.${part}": a document has name, mime, and content or file.`))
    else documents.set(field, { ...parts, [part]: value })
  }

  /** A path in the ZIP, or the parts as one JSON object. */
  function wholeDocument(value: unknown): DocumentParts {
    if (typeof value === 'object' && value !== null) return value
    return value === undefined || value === null || value === '' ? {} : { file: value }
  }

  async function readDocument(field: FieldModel, { name, mime, content, file }: DocumentParts): Promise<void> {
    const isFilled = (part: unknown) => part !== undefined && part !== null && part !== ''
    if (isFilled(file)) {
      if (isFilled(content)) throw refused(field, 'has content and file; give one of them')
      const bytes = await readFile(field, String(file))
      const document = { name: isFilled(name) ? name : basename(String(file)), content: bytes.toString('base64') }
      values[field.name] = isFilled(mime) ? { ...document, mime } : document
    } else if (isFilled(name) || isFilled(content)) {
      values[field.name] = { name, content: content ?? '', ...(isFilled(mime) && { mime }) }
    } else values[field.name] = ''
  }

  async function readFile(field: FieldModel, path: string): Promise<Buffer> {
    if (!record.attachments) throw refused(field, `refers to "${path.slice(0, 200)}"; only a ZIP holds documents`)
    const { maxBytes = defaultMaxBytes } = field.definition as { maxBytes?: number }
    const bytes = await record.attachments.read(path, maxBytes)
    if (bytes) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    throw refused(field, `refers to "${path.slice(0, 200)}", which is not in the ZIP`)
  }

  async function readReference(field: FieldModel, key: KeyValues): Promise<void> {
    const { target } = field as FieldModel & { target: ObjectModel }
    const rowId = await references.find(target, key, field.name)
    if (rowId !== undefined) {
      values[field.name] = rowId
      found.add(field.name)
    } else if (field.required) throw notFound(field, key)
    else missing.push([field, key])
  }

  /** Takes the values away that would make the reference already; what the record is found by stays. */
  function holdBack({ parts = [] }: FieldModel): Record<string, unknown> {
    const held: Record<string, unknown> = {}
    for (const { name, required } of parts) {
      if (required || !(name in values) || object.key.some((field) => field.name === name)) continue
      held[name] = values[name]
      delete values[name]
    }
    return held
  }

  function parseJson(name: string, value: unknown): unknown {
    if (typeof value !== 'string' || value === '') return value
    try {
      return readJsonText(value)
    } catch {
      messages.push({ code: 'ERR_TYPE', field: name, text: `Field "${name}" must be JSON.` })
      return undefined
    }
  }

  async function attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!RestError.is(error) || error.status >= 500) throw error
      messages.push(...(error.messages.length > 0 ? error.messages : [{ code: error.code, text: error.message }]))
    }
  }
}

function tooManyNames({ values }: ImportRecord): RestError {
  return new RestError('ERR_BAD_REQUEST', `The record has ${values.size} values, ${mostNames} is the limit.`)
}

/** The linked record is not there. */
export function notFound(field: FieldModel, key: KeyValues): RestError {
  const { target } = field as FieldModel & { target: ObjectModel }
  const text = `Field "${field.name}": there is no ${target.name} with ${describeKey(key)}.`
  return RestError.validation([{ code: 'ERR_REFERENCE', field: field.name, text }])
}

function describeKey(key: KeyValues, prefix = ''): string {
  return [...key]
    .map(([name, value]) =>
      value instanceof Map
        ? describeKey(value as KeyValues, `${prefix}${name}.`)
        : `${prefix}${name} "${String(value)}"`,
    )
    .join(', ')
}

function refused({ name }: FieldModel, text: string): RestError {
  return RestError.validation([{ code: 'ERR_TYPE', field: name, text: `Field "${name}" ${text}.` }])
}

function invalid(field: string, text: string): ErrorMessage {
  return { code: 'ERR_UNKNOWN_FIELD', field: field.slice(0, 100), text }
}
