import { hash } from 'node:crypto'
import type { ColumnType } from '../fields/field-type.js'
import type { FieldValue } from '../fields/field-value.js'
import { Problem } from '../fields/field-type.js'
import type { FieldModel, Selection } from '../model/model.js'
import type { StoreSession } from '../store.js'
import type { DocumentInfo } from './document-store.js'
import { imageMediaType } from './image-content.js'

/** The content of a document field that is kept in the column itself. */
export interface ColumnContent extends DocumentInfo {
  readonly bytes: Buffer
}

/** Whether the content of a document field is in its column, not in the document store. */
export function isInColumn({ content }: FieldModel): boolean {
  return content !== undefined
}

const written = 'hex:'
const shown = 'bytes-'

/** Bytes as a value that is written. */
export function bytesValue(bytes: Uint8Array): string {
  return written + Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}

/** The hexadecimal digits of a value that is written. */
export function bytesDigits(value: FieldValue): string {
  return (value as string).slice(written.length)
}

/** What records show of a content: its length. */
export function shownBytes(length: number): string {
  return `${shown}${length}`
}

/** Whether the value of a document field is what records show of a content in a column, which does not distinguish two of the same length. */
export function isShownBytes(value: FieldValue | undefined): boolean {
  return typeof value === 'string' && /^bytes-\d+$/.test(value)
}

/** The length that is shown of a content; 0 of anything else. */
export function shownLength(value: FieldValue): number {
  return isShownBytes(value) ? Number((value as string).slice(shown.length)) : 0
}

/** What the audit trail records about a content: its length, and a hash that distinguishes it from others of that length. */
export function namedBytes(value: FieldValue): string {
  const bytes = Buffer.from(bytesDigits(value), 'hex')
  return `${shownBytes(bytes.length)}-${versionOf(bytes).slice(0, 12)}`
}

/** Turns what a store selects for a column of bytes into the value: the length, or with `whole` hexadecimal digits or a Buffer. */
export function readBytes(type: Extract<ColumnType, { kind: 'bytes' }>): (value: unknown) => string {
  if (!type.whole) return (value) => shownBytes(Number(value))
  return (value) => (Buffer.isBuffer(value) ? bytesValue(value) : written + String(value).toLowerCase())
}

const selections = new WeakMap<FieldModel, Selection>()

function contentSelection(field: FieldModel): Selection {
  let selection = selections.get(field)
  if (!selection) {
    const { object, content } = field
    selection = Object.freeze({ object, key: `content of ${field.name}`, fields: [object.id, content as FieldModel] })
    selections.set(field, selection)
  }
  return selection
}

/** The content in the column of one row; `undefined` when there is none. */
export async function readColumn(
  session: StoreSession,
  field: FieldModel,
  rowId: string,
): Promise<ColumnContent | undefined> {
  const { object, content } = field
  const record = await session.get(object, rowId, { select: contentSelection(field) })
  const value = record?.[(content as FieldModel).name]
  if (typeof value !== 'string' || value === '') return undefined
  const bytes = Buffer.from(bytesDigits(value), 'hex')
  const found = imageMediaType(bytes, { type: 'image' })
  const type = found instanceof Problem ? 'application/octet-stream' : found
  const { default: mimeTypes } = await import('mime-types')
  const name = `${object.name}-${rowId}.${mimeTypes.extension(type) || 'bin'}`
  return { id: versionOf(bytes), name, mime: type, size: bytes.length, path: `${object.name}/${field.name}`, bytes }
}

function versionOf(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'base64url')
}
