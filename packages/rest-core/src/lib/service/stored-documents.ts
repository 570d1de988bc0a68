import { Readable } from 'node:stream'
import type { ByteUse } from '../byte-budget.js'
import { RestError } from '../../errors.js'
import type { ImageField } from '../definition/definition.js'
import { isInColumn, readColumn } from '../documents/column-content.js'
import type { ColumnContent } from '../documents/column-content.js'
import type { DocumentInfo, DocumentStore } from '../documents/document-store.js'
import { headBytes, imageMediaType } from '../documents/image-content.js'
import { Problem } from '../fields/field-type.js'
import type { BusinessRecord, FieldModel, ObjectModel } from '../model/model.js'
import { accessOf } from '../rights/access.js'
import type { Principal } from '../rights/rights.js'
import type {
  BusinessObjects,
  DocumentContent,
  ObjectName,
  UpdateOptions,
  UploadedDocument,
} from './business-objects.js'
import { StoredDocument } from '../documents/stored-document.js'
import { mostBytes } from '../documents/most-bytes.js'
import { defaultThumbnailPixels, tooLarge } from './documents.js'
import { messageOf } from './input.js'
import { missingRow } from './missing-row.js'
import { callerOf } from './caller-of.js'
import { parseRowId } from './selections.js'
import type { ServiceContext } from './service-context.js'
import { translate } from './store-errors.js'

/** Contents of document and image fields, one at a time and as streams. */
export function createStoredDocuments(
  context: ServiceContext,
): Pick<BusinessObjects, 'document' | 'thumbnail' | 'upload'> {
  // A model with such fields has a document store.
  const documents = context.documents as DocumentStore
  return { document, thumbnail, upload: upload as BusinessObjects['upload'] }

  async function document(
    principal: Principal,
    name: ObjectName,
    rowId: string,
    fieldName: string,
  ): Promise<DocumentContent> {
    const field = documentField(principal, context.resolve(name), fieldName, 'R')
    if (isInColumn(field)) {
      const { bytes, ...info } = await findInColumn(principal, field, rowId)
      return {
        ...info,
        open: async (range) =>
          Readable.from([range ? bytes.subarray(range.start, range.end + 1) : bytes], { objectMode: false }),
      }
    }
    const info = await find(principal, field, rowId)
    return { ...info, open: (range) => documents.read(info.id, range) }
  }

  async function thumbnail(principal: Principal, name: ObjectName, rowId: string, fieldName: string) {
    const field = documentField(principal, context.resolve(name), fieldName, 'R')
    const { id } = isInColumn(field) ? await findInColumn(principal, field, rowId) : await find(principal, field, rowId)
    const { type, thumbnailPixels = defaultThumbnailPixels } = field.definition as ImageField
    const picture = type === 'image' ? await documents.thumbnail(id, thumbnailPixels, callerOf(principal)) : undefined
    if (picture) return picture
    throw RestError.notFound(`A picture in "${field.name}" of record "${rowId}" of "${field.object.name}"`)
  }

  /** The content is stored before the record is touched: however long it takes, nothing is locked meanwhile. */
  async function upload(
    principal: Principal,
    name: ObjectName,
    rowId: string,
    fieldName: string,
    content: Readable,
    given: UploadedDocument,
    options?: UpdateOptions,
  ): Promise<BusinessRecord> {
    const object = context.resolve(name)
    const field = documentField(principal, object, fieldName, 'U')
    if (object.readOnly || field.readOnly || field.createOnly)
      throw new RestError('ERR_RIGHT', `Field "${field.name}" of "${object.name}" cannot be changed.`)
    await refuseMissing(principal, object, rowId)
    const maxBytes = mostBytes(field)
    if ((given.size ?? 0) > maxBytes) throw tooLarge(given.name, maxBytes)
    if (isInColumn(field)) {
      const input = { name: field.name, content: await gather(content, given.name, maxBytes, options?.memory) }
      return context
        .bind(context.transaction)
        .update(principal, object.name, rowId, { [field.name]: input }, byContent(field, options))
    }
    const checked = field.type.name === 'image' ? await checkImage(field, content) : { content, mime: given.mime }
    const path = `${object.name}/${field.name}`
    const info = await documents.put(checked.content, { name: given.name, mime: checked.mime, path, maxBytes })
    const service = context.bind(context.transaction)
    const remove = () => documents.delete(info.id)
    context.transaction?.afterRollback(remove)
    try {
      return await service.update(principal, object.name, rowId, { [field.name]: new StoredDocument(info) }, options)
    } catch (error) {
      // After other failures it is unknown whether the record has it; what it has not is cleaned up later.
      if (!context.transaction && RestError.is(error) && error.status < 500) await remove()
      throw error
    }
  }

  /** The document in a field of a record, as the caller would get the record. */
  async function find(principal: Principal, field: FieldModel, rowId: string): Promise<DocumentInfo> {
    const { object, name } = field
    const service = context.bind(context.transaction)
    const { [name]: id } = await service.get(principal, object.name, rowId, { fields: [name] })
    const info = typeof id === 'string' && id !== '' ? await documents.info(id) : undefined
    if (info) return info
    throw RestError.notFound(`A document in "${name}" of record "${rowId}" of "${object.name}"`)
  }

  /** The same for a content in the column. */
  async function findInColumn(principal: Principal, field: FieldModel, rowId: string): Promise<ColumnContent> {
    const { object, name } = field
    const service = context.bind(context.transaction)
    const { row_id: id, [name]: shown } = await service.get(principal, object.name, rowId, { fields: [name] })
    const found = shown === '' ? undefined : await readNow(principal, field, id)
    if (found) return found
    throw RestError.notFound(`A document in "${name}" of record "${rowId}" of "${object.name}"`)
  }

  async function readNow(principal: Principal, field: FieldModel, rowId: string): Promise<ColumnContent | undefined> {
    try {
      return await readColumn(await context.session(principal), field, rowId)
    } catch (error) {
      throw await translate(error, { object: field.object, operation: 'read' }, context.store)
    }
  }

  /** A record that may not be changed is refused before its document travels. */
  async function refuseMissing(principal: Principal, object: ObjectModel, rowId: string): Promise<void> {
    const access = accessOf(principal, object)
    const id = parseRowId(object, rowId)
    try {
      const session = await context.session(principal)
      const found = await session.get(object, id, { select: object.select([]), where: access.need('U') })
      if (!found) throw await missingRow(session, access, id)
    } catch (error) {
      throw await translate(error, { object, operation: 'read' }, context.store)
    }
  }
}

/** Conditions on the document hold against its content, which records do not show. */
function byContent({ name }: FieldModel, options: UpdateOptions | undefined): UpdateOptions | undefined {
  const precondition = options?.precondition
  if (!precondition) return options
  return {
    ...options,
    precondition: async (record, contentId) =>
      precondition(record && { ...record, [name]: await contentId(name) }, contentId),
  }
}

/** A whole content, as base64. */
async function gather(content: Readable, name: string, maxBytes: number, memory?: ByteUse): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of content as AsyncIterable<Uint8Array | string>) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > maxBytes) throw tooLarge(name, maxBytes)
    await memory?.hold(Math.min(size, memory.most))
    chunks.push(bytes)
  }
  return Buffer.concat(chunks).toString('base64')
}

/** The content from its start, with the media type that it has. @throws RestError ERR_VALIDATION when it is not a picture */
async function checkImage(field: FieldModel, content: Readable): Promise<{ content: Readable; mime: string }> {
  const chunks = content[Symbol.asyncIterator]() as AsyncIterator<Uint8Array | string>
  let head = Buffer.alloc(0)
  while (head.length < headBytes) {
    const { done, value } = await chunks.next()
    if (done) break
    head = Buffer.concat([head, Buffer.from(value)])
  }
  const mime = imageMediaType(head, field.definition as ImageField)
  if (mime instanceof Problem) {
    // A client that still sends does not read the answer.
    for (let size = head.length; size <= mostBytes(field);) {
      const { done, value } = await chunks.next()
      if (done) break
      size += Buffer.byteLength(value)
    }
    await chunks.return?.()
    throw RestError.validation([messageOf(field, mime)])
  }
  return { content: Readable.from(whole(head, chunks), { objectMode: false }), mime }
}

async function* whole(
  head: Uint8Array,
  chunks: AsyncIterator<Uint8Array | string>,
): AsyncGenerator<Uint8Array | string> {
  try {
    yield head
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value
  } finally {
    await chunks.return?.()
  }
}

/** @throws RestError ERR_RIGHT, ERR_NOT_FOUND for what is not a document field that this user sees */
function documentField(principal: Principal, object: ObjectModel, name: string, letter: 'R' | 'U'): FieldModel {
  const access = accessOf(principal, object)
  access.need(letter)
  const field = object.documents.find((each) => each.name === name)
  if (field && field.visible && !(letter === 'U' ? access.locks(field, 'U') : access.hides(field))) return field
  throw RestError.notFound(`Document field "${name.slice(0, 100)}" of "${object.name}"`)
}
