import type { ErrorMessage } from '../../errors.js'
import { RestError, mostMessages } from '../../errors.js'
import type { EnumField, ImageField } from '../definition/definition.js'
import { imageMediaType } from '../documents/image-content.js'
import type { FieldValue } from '../fields/field-value.js'
import { Problem, isBlank, isUnfilled } from '../fields/field-type.js'
import { momentOf, timestamp } from '../fields/temporal.js'
import type { FieldModel, ObjectModel } from '../model/model.js'
import { isJoined } from '../model/model.js'
import { unknownField } from '../model/create-model.js'
import type { Access } from '../rights/access.js'
import type { Principal } from '../rights/rights.js'
import type { WriteOptions } from './business-objects.js'
import { StoredDocument } from '../documents/stored-document.js'

/** What a client sent, sorted out. */
export interface Input {
  /** Parsed values; those with a message are left out. */
  readonly values: Record<string, FieldValue>
  /** New contents of document and image fields, still to be stored. */
  readonly uploads: readonly FieldUpload[]
  /** Document ids given as text: they must be the ones that the record already has. */
  readonly documentIds: readonly { readonly field: FieldModel; readonly id: string }[]
  readonly messages: ErrorMessage[]
}

export interface FieldUpload {
  readonly field: FieldModel
  readonly name: string
  readonly mime: string | undefined
  readonly content: Uint8Array | StoredDocument
}

/**
 * Reads a request body: joined, technical and read-only fields and the row id are ignored, since clients send back what
 * they got; an unknown name is a message. Source: docs/spec/wire-decisions.md, "input".
 */
export function readInput(
  access: Access,
  body: unknown,
  operation: 'create' | 'update',
  { restore = false }: WriteOptions = {},
): Input {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new RestError('ERR_BAD_REQUEST', 'The body must be a JSON object with field values.')
  }
  const { object } = access
  const values: Record<string, FieldValue> = {}
  const uploads: FieldUpload[] = []
  const documentIds: { field: FieldModel; id: string }[] = []
  const messages: ErrorMessage[] = []

  for (const name of Object.keys(body)) {
    if (messages.length > mostMessages) break
    const field = object.readable.get(name)
    const locked = field && !isJoined(field) && access.locks(field, operation === 'create' ? 'C' : 'U')
    // A search may have named the path: what comes back as it was answered is right.
    if (!field && isReadablePath(access, name)) continue
    if (!field || (access.hides(field) && (isJoined(field) || locked))) {
      messages.push(...unknownField(object, name, access.hides).messages)
      continue
    }
    if (isJoined(field) || locked || (restore ? isGivenId(field, operation) : isIgnored(field, operation))) continue
    const given = (body as Record<string, unknown>)[name]
    // Code, other than JSON, may say "not given" this way.
    if (given === undefined) continue
    if (object.documents.includes(field)) readDocument(field, given)
    else readValue(field, given)
  }
  return { values, uploads, documentIds, messages }

  function readValue(field: FieldModel, given: unknown): void {
    const value = field.type.parse(given, field)
    if (value instanceof Problem) return refuse(field, value)
    // A form sends an empty password when it means the one that is there.
    if (operation === 'update' && field.type.name === 'password' && value === '') return
    values[field.name] = value
  }

  function readDocument(field: FieldModel, given: unknown): void {
    const upload =
      typeof given === 'object' && given !== null ? readUpload(field, given) : field.type.parse(given, field)
    if (upload instanceof Problem) return refuse(field, upload)
    if (typeof upload === 'string') {
      if (upload === '') values[field.name] = ''
      else documentIds.push({ field, id: upload })
    } else if (upload !== null) {
      uploads.push(upload as FieldUpload)
    }
  }

  function refuse(field: FieldModel, problem: Problem): void {
    messages.push(messageOf(field, problem))
  }
}

export function isIgnored(field: FieldModel, operation: 'create' | 'update'): boolean {
  const { object } = field
  if (field === object.id) return isGivenId(field, operation)
  return field.readOnly || (field.createOnly && operation === 'update') || object.technical.includes(field)
}

/** A row id that only the database assigns, or that is there already. */
function isGivenId(field: FieldModel, operation: 'create' | 'update'): boolean {
  return field === field.object.id && (operation === 'update' || field.definition.readOnly !== false)
}

/** Characters of the name of a document. Not specified; chosen as what file systems take. */
const longestName = 255

const notBase64 = /[^A-Za-z0-9+/\s]/
const base64End = /^={1,2}\s*$/

/** A path to a field of a linked record, as `_fields` takes it, that the user may read. */
function isReadablePath({ object, hides }: Access, name: string): boolean {
  const field = object.field(name)
  return field !== undefined && isJoined(field) && !hides(field)
}

/** In time that grows with the text only, which one pattern for all of it does not do. */
function isBase64(text: string): boolean {
  const end = text.indexOf('=')
  return end < 0 ? !notBase64.test(text) : base64End.test(text.slice(end)) && !notBase64.test(text.slice(0, end))
}

/** `{id?, name, mime?, content(base64)}`; without content it means the document that is there. */
function readUpload(field: FieldModel, given: object): FieldUpload | string | Problem {
  if (given instanceof StoredDocument) {
    const { name, mime } = given.info
    return { field, name, mime, content: given }
  }
  const { id, name, mime, content } = given as Record<string, unknown>
  if (content === undefined || content === null) {
    return typeof id === 'string'
      ? id
      : new Problem('ERR_TYPE', 'needs "name" and "content" (base64), or the "id" of the document that is there')
  }
  if (typeof content !== 'string' || !isBase64(content))
    return new Problem('ERR_TYPE', 'has a "content" that is not base64')
  if (typeof name !== 'string' || name === '') return new Problem('ERR_TYPE', 'needs a "name" for its content')
  if (name.length > longestName) return new Problem('ERR_LENGTH', `has a "name" of more than ${longestName} characters`)
  if (mime !== undefined && typeof mime !== 'string') return new Problem('ERR_TYPE', 'has a "mime" that is not a text')
  const bytes = Buffer.from(content, 'base64')
  const type = field.type.name === 'image' ? imageMediaType(bytes, field.definition as ImageField) : mime || undefined
  return type instanceof Problem ? type : { field, name, mime: type, content: bytes }
}

/** Fills in defaults of fields that were not given. */
export function applyDefaults(
  access: Access,
  values: Record<string, FieldValue>,
  given: ReadonlySet<string>,
  principal: Principal,
  now: Date,
): void {
  const { object } = access
  for (const field of object.fields) {
    if (field.name in values || given.has(field.name)) continue
    const value = startOf(field) ?? field.definition.default
    if (value === undefined) continue
    const parsed = field.type.parse(expandDefault(value, principal, now), field)
    if (!(parsed instanceof Problem)) values[field.name] = parsed
  }
}

function startOf(field: FieldModel): string | undefined {
  return field === field.object.state ? initialState(field) : undefined
}

/** The state of a new record: `initial`, else the field's default, else the first value. */
export function initialState(field: FieldModel): string {
  const { states } = field.object.definition
  const [first] = (field.definition as EnumField).values
  return (
    states?.initial ??
    (field.definition.default as string | undefined) ??
    (typeof first === 'string' ? first : (first?.code ?? ''))
  )
}

/** The value of a default: `[DATE]`, `[DATETIME]` and `[LOGIN]` are filled in. */
export function expandDefault(value: unknown, principal: Principal, now: Date): unknown {
  if (value === '[DATETIME]') return timestamp(now)
  if (value === '[DATE]') return momentOf(now).date
  return value === '[LOGIN]' ? principal.login : value
}

/** Messages about values that break their field's rules; on creation also about required fields that are missing. */
export function validate(
  object: ObjectModel,
  values: Readonly<Record<string, FieldValue>>,
  operation: 'create' | 'update',
  skip: ReadonlySet<string>,
): ErrorMessage[] {
  const messages: ErrorMessage[] = []
  for (const field of operation === 'create' ? [object.id, ...object.fields] : object.fields) {
    if (skip.has(field.name)) continue
    const value = values[field.name]
    if (value === undefined && operation === 'update') continue
    if (typeof value === 'string' && field.allowsEmpty && (value === '' || isBlank(value, field))) continue
    if (isUnfilled(value, field) || (field.required && isBlank(value, field))) {
      if (field.required && field.type.empty !== false)
        messages.push({ code: 'ERR_REQUIRED', field: field.name, text: `Field "${field.name}" is required.` })
      continue
    }
    const problem = field.type.validate(value as FieldValue, field)
    if (problem) messages.push(messageOf(field, problem))
  }
  return messages
}

export function messageOf(field: FieldModel, problem: Problem): ErrorMessage {
  return { code: problem.code, field: field.name, text: `Field "${field.name}" ${problem.text}.` }
}
