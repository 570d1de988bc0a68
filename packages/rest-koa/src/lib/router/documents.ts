import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { BusinessRecord, DocumentInfo, UpdateOptions } from '@steward/rest-core'
import { isShownBytes } from '@steward/rest-core'
import { RestError } from '@steward/rest-core/errors'
import parseRange from 'range-parser'
import { emptyHeaders, notModifiedHeaders, send, taggedHeaders, textHeaders } from '../http/answer.js'
import { uncompressed } from '../http/delivery.js'
import type { HeaderList } from '../http/delivery.js'
import { contentDisposition, fileNameOf } from '../http/content-disposition.js'
import { sendContent } from '../http/send-content.js'
import type { OfKind } from './address.js'
import type { RestCall } from './call.js'
import { matchesStrongly, matchesWeakly } from './entity-tag.js'
import { answerOptions } from './read-query.js'
import type { RequestQuery } from './read-query.js'
import { idempotencyKey } from './writing.js'

/** The content of a document field, or a part of it, as a stream. */
export async function download(call: RestCall, { object, rowId, field }: OfKind<'document'>): Promise<void> {
  const { context, service, principal, respond } = call
  const { req } = context
  const document = await service.document(principal, object, rowId, field)
  const { size } = document
  const tag = tagOf(document.id)
  const known = req.headers['if-none-match']
  if (known !== undefined && matchesWeakly(known, tag))
    return send(context, respond, 304, [...notModifiedHeaders(tag), 'Accept-Ranges', 'bytes'])
  const range = wantedRange(req, size, tag)
  if (range === 'none') {
    context.set('Content-Range', `bytes */${size}`)
    return send(context, respond, 416, [...emptyHeaders(), 'Accept-Ranges', 'bytes'])
  }
  const headers = contentHeaders(document, tag)
  if (range) headers.push('Content-Range', `bytes ${range.start}-${range.end}/${size}`)
  const length = range ? range.end - range.start + 1 : size
  await sendContent(context, uncompressed(respond), range ? 206 : 200, headers, {
    stream: await document.open(range),
    length,
  })
}

/** The thumbnail of an image field, as WebP. */
export async function thumbnail(call: RestCall, { object, rowId, field }: OfKind<'thumbnail'>): Promise<void> {
  const { context, service, principal, respond } = call
  const picture = await service.thumbnail(principal, object, rowId, field)
  const tag = tagOf(hash('sha256', picture, 'base64url'))
  const known = context.req.headers['if-none-match']
  if (known !== undefined && matchesWeakly(known, tag)) send(context, respond, 304, notModifiedHeaders(tag))
  else
    await sendContent(
      context,
      uncompressed(respond),
      200,
      [...protectedHeaders(tag), 'Content-Type', 'image/webp'],
      picture,
    )
}

/** Takes a body of any media type into a document field, as it comes; answers the record. */
export async function upload(
  call: RestCall,
  { object, rowId, field }: OfKind<'document'>,
  query: RequestQuery,
): Promise<void> {
  const { context, service, principal, respond } = call
  const { req } = context
  const { headers } = req
  if (idempotencyKey(context) !== undefined)
    throw new RestError('ERR_BAD_REQUEST', 'An upload takes no Idempotency-Key; sending it again does no harm.')
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity')
    throw new RestError('ERR_MEDIA_TYPE', `The content encoding "${encoding.slice(0, 100)}" is not supported.`)
  if (req.readableEnded) throw new Error('The request body was read by another middleware.')
  const document = {
    name: query.own['_name'] ?? fileNameOf(headers['content-disposition']) ?? field,
    mime: mimeOf(headers['content-type']),
    size: headers['content-length'] === undefined ? undefined : Number(headers['content-length']),
  }
  const options = { ...answerOptions(call, query), ...precondition(req, field), memory: call.memory() }
  // When the upload is refused halfway, the connection is still needed for the answer.
  const content = Readable.from(req.iterator({ destroyOnReturn: false }), { objectMode: false })
  const record = await service
    .upload(principal, object, rowId, field, content, document, options)
    .catch((error: unknown) => {
      if (!req.destroyed || req.complete) throw error
      throw new RestError('ERR_BAD_REQUEST', 'The connection ended before the body did.', { cause: error })
    })
  const id = documentId(record, field)
  // The length of a content in a column is not a version of it.
  const tagged = id === undefined || isShownBytes(id) ? textHeaders() : taggedHeaders(tagOf(id))
  // The tag is the document's, not the one of this answer, which compressing would change.
  send(context, uncompressed(respond), 200, tagged, JSON.stringify(record))
}

function tagOf(id: string): string {
  return `"${id}"`
}

function documentId(record: BusinessRecord | undefined, field: string): string | undefined {
  const value = record?.[field]
  if (typeof value === 'string') return value === '' ? undefined : value
  return (value as { id?: string } | null | undefined)?.id
}

/** `If-Match` and `If-None-Match` hold against the document that is there. */
function precondition({ headers }: IncomingMessage, field: string): Pick<UpdateOptions, 'precondition'> | undefined {
  const { 'if-match': wanted, 'if-none-match': unwanted } = headers
  if (wanted === undefined && unwanted === undefined) return undefined
  return {
    precondition(record) {
      // A document that the caller may not read is neither there nor missing.
      if (!record) return unwanted === undefined && matchesStrongly(wanted ?? '', undefined)
      const id = documentId(record, field)
      if (wanted !== undefined && (id === undefined || !matchesStrongly(wanted, tagOf(id)))) return false
      return unwanted === undefined || id === undefined || !matchesWeakly(unwanted, tagOf(id))
    },
  }
}

/**
 * The one range that is asked for; `undefined`: the whole content (several ranges and what cannot be read are ignored, as
 * RFC 9110, section 14.2 allows); `none`: nothing of it is there.
 */
function wantedRange(
  { method, headers }: IncomingMessage,
  size: number,
  tag: string,
): { readonly start: number; readonly end: number } | 'none' | undefined {
  const { range, 'if-range': condition } = headers
  if (range === undefined || method !== 'GET' || (condition !== undefined && condition !== tag)) return undefined
  // More than there is from the end on means all of it (RFC 9110, section 14.1.2); the parser calls it none.
  const last = Number(/^\s*bytes\s*=\s*-(\d+)\s*$/.exec(range)?.[1])
  const ranges = parseRange(size, last > size ? `bytes=-${size}` : range)
  if (ranges === -1) return 'none'
  return ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1 ? undefined : ranges[0]
}

/** Shown by browsers without running anything; everything else is given as a file to save. */
const harmless = /^(?:image\/(?:png|jpeg|gif|webp|avif|bmp)|text\/plain|(?:audio|video)\/[\w.+-]+)$/

function contentHeaders({ name, mime }: DocumentInfo, tag: string): HeaderList {
  const type = mimeOf(mime) ?? 'application/octet-stream'
  const disposition = harmless.test(type) ? 'inline' : 'attachment'
  return [
    ...protectedHeaders(tag),
    'Content-Type',
    type,
    'Content-Disposition',
    contentDisposition(disposition, name),
    'Accept-Ranges',
    'bytes',
  ]
}

/** For what users have uploaded: whatever it is, it must not run in the name of this site. */
function protectedHeaders(tag: string): HeaderList {
  return [...notModifiedHeaders(tag), 'Content-Security-Policy', "default-src 'none'; sandbox"]
}

/** A media type that says something and can be sent as a header. */
function mimeOf(text: string | undefined): string | undefined {
  const type = /^\s*([\w!#$&^.+-]+\/[\w!#$&^.+-]+)\s*(?:;|$)/.exec(text ?? '')?.[1]?.toLowerCase()
  return type === 'application/octet-stream' ? undefined : type
}
