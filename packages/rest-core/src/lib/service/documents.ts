import type { ErrorMessage } from '../../errors.js'
import { RestError } from '../../errors.js'
import type { ImageField } from '../definition/definition.js'
import { bytesValue, isInColumn, readColumn, shownLength } from '../documents/column-content.js'
import type { DocumentStore } from '../documents/document-store.js'
import { mostBytes } from '../documents/most-bytes.js'
import { StoredDocument } from '../documents/stored-document.js'
import { processBudget } from '../byte-budget.js'
import type { FieldValue } from '../fields/field-value.js'
import type { BusinessRecord, FieldModel, ObjectModel } from '../model/model.js'
import type { Principal } from '../rights/rights.js'
import type { AnswerOptions } from './business-objects.js'
import type { Input } from './input.js'
import type { Caller } from '../caller.js'
import { callerOf } from './caller-of.js'
import type { ServiceContext } from './service-context.js'

export const defaultThumbnailPixels = 200

/**
 * Puts the ids of new contents into `values`, and stores those that are not stored yet.
 *
 * @returns ids of what was stored here, to be removed again when the write is undone.
 */
export async function storeUploads(
  documents: DocumentStore | undefined,
  { uploads }: Input,
  values: Record<string, FieldValue>,
): Promise<string[]> {
  const stored: string[] = []
  try {
    for (const { field, name, mime, content } of uploads) {
      const path = `${field.object.name}/${field.name}`
      if (content instanceof StoredDocument) {
        values[field.name] = content.info.id
        continue
      }
      if (isInColumn(field)) {
        const maxBytes = mostBytes(field)
        if (content.byteLength > maxBytes) throw tooLarge(name, maxBytes)
        values[field.name] = bytesValue(content)
        continue
      }
      const { id } = await (documents as DocumentStore).put(content, { name, mime, path, maxBytes: mostBytes(field) })
      values[field.name] = id
      stored.push(id)
    }
    return stored
  } catch (error) {
    for (const id of stored) await documents?.delete(id)
    throw error
  }
}

export function tooLarge(name: string, maxBytes: number): RestError {
  const text = `"${name.slice(0, 100)}" is larger than the ${maxBytes} bytes that the field takes.`
  return new RestError('ERR_TOO_LARGE', text)
}

/** A document id in a request must be the one that the record has; others would open other people's documents. */
export function checkDocumentIds({ documentIds }: Input, old: BusinessRecord | undefined): ErrorMessage[] {
  return documentIds
    .filter(({ field, id }) => old?.[field.name] !== id)
    .map(({ field, id }) => ({
      code: 'ERR_REFERENCE',
      field: field.name,
      text: `Field "${field.name}" does not hold document "${id}"; send {"name": …, "content": <base64>} for a new one.`,
    }))
}

/** Puts contents and thumbnails in place of document ids, as the caller asked. */
export async function inlineDocuments(
  context: ServiceContext,
  principal: Principal,
  object: ObjectModel,
  record: BusinessRecord,
  options: AnswerOptions & Pick<Caller, 'signal'>,
): Promise<void> {
  const { documents } = context
  const caller = callerOf(principal, options)
  const count = counterOf(context, options)
  for (const field of object.documents) {
    const wanted = {
      content: wants(options.inlineDocuments, field),
      thumbnail: field.type.name === 'image' && wants(options.inlineThumbnails, field),
    }
    let id = record[field.name]
    if (isInColumn(field)) {
      if (id === undefined || id === '' || !wanted.content) continue
      await count(base64Length(shownLength(id)))
      const found = await readColumn(await context.session(principal), field, record.row_id)
      const { bytes, ...info } = found ?? {}
      record[field.name] = bytes ? { ...info, content: bytes.toString('base64') } : ''
      continue
    }
    while (typeof id === 'string' && id !== '' && (wanted.content || wanted.thumbnail)) {
      const inlined = await inline(documents as DocumentStore, field, id, { ...wanted, caller }, count)
      if (inlined) {
        record[field.name] = inlined
        break
      }
      // The document was replaced or removed after the record was read, or its content is lost.
      const now = await currentId(context, principal, field, record.row_id)
      if (now === id)
        throw new RestError(
          'ERR_INTERNAL',
          `The content of document "${id}" of ${object.name} "${record.row_id}" is missing.`,
        )
      record[field.name] = id = now
    }
  }
}

/** Called with bytes of an answer before they are in memory. @throws RestError ERR_TOO_LARGE, ERR_UNAVAILABLE */
type Counter = (bytes: number) => void | Promise<void>

function counterOf({ transaction }: ServiceContext, { memory }: AnswerOptions): Counter {
  // Others may wait for the end of a transaction.
  if (memory) return transaction ? (bytes) => memory.addNow(bytes) : (bytes) => memory.add(bytes)
  const most = processBudget().answer
  let left = most
  return (bytes) => {
    left -= bytes
    if (left < 0)
      throw new RestError(
        'ERR_TOO_LARGE',
        `The documents of the record are larger than ${Math.floor(most / 2 ** 20)} MiB together. Read them one by one.`,
      )
  }
}

function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4
}

/** A document in place of its id; `undefined` when it is gone. */
async function inline(
  documents: DocumentStore,
  field: FieldModel,
  id: string,
  wanted: { readonly content: boolean; readonly thumbnail: boolean; readonly caller: Caller },
  count: Counter,
): Promise<FieldValue | undefined> {
  try {
    const info = await documents.info(id)
    if (!info) return undefined
    if (wanted.content) await count(base64Length(info.size))
    return {
      ...info,
      ...(wanted.content && { content: await readAll(documents, id) }),
      ...(wanted.thumbnail && { thumbnail: await thumbnail(documents, field, id, wanted.caller) }),
    }
  } catch (error) {
    if (RestError.is(error) && error.code === 'ERR_NOT_FOUND') return undefined
    throw error
  }
}

/** What the field holds by now; empty when the record is gone. */
async function currentId(
  context: ServiceContext,
  principal: Principal,
  field: FieldModel,
  rowId: string,
): Promise<string> {
  const session = await context.session(principal)
  const record = await session.get(field.object, rowId, { select: field.object.select([field.name]) })
  return (record?.[field.name] ?? '') as string
}

function wants(option: true | readonly string[] | undefined, field: FieldModel): boolean {
  return option === true || (option?.includes(field.name) ?? false)
}

async function readAll(documents: DocumentStore, id: string): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of await documents.read(id)) chunks.push(chunk as Uint8Array)
  return Buffer.concat(chunks).toString('base64')
}

async function thumbnail(
  documents: DocumentStore,
  field: FieldModel,
  id: string,
  caller: Caller,
): Promise<string | null> {
  const { thumbnailPixels = defaultThumbnailPixels } = field.definition as ImageField
  const picture = await documents.thumbnail(id, thumbnailPixels, caller)
  return picture ? Buffer.from(picture).toString('base64') : null
}
