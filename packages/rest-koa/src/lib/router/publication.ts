import { PassThrough, pipeline, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { PublicationRequest, PublishedDocument } from '@steward/rest-core'
import { RestError } from '@steward/rest-core/errors'
import type { Context } from 'koa'
import { textHeaders } from '../http/answer.js'
import { uncompressed } from '../http/delivery.js'
import { contentDisposition } from '../http/content-disposition.js'
import { sendContent } from '../http/send-content.js'
import type { OfKind } from './address.js'
import { hasBody } from './body.js'
import type { RestCall } from './call.js'
import { countRecords, readNamedTarget, refuseSearch } from './named-target.js'
import type { RequestQuery } from './read-query.js'
import type { Recheck } from './recheck.js'

/**
 * What browsers may do with a document that a template and data made: show it. No scripts, forms, frames, outside
 * addresses; pictures and styles of its own.
 */
const pagePolicy = "sandbox; default-src 'none'; img-src data:; font-src data:; style-src 'unsafe-inline'"

/** Formats that browsers show themselves; others are for saving. Not specified. */
const shown = /^(?:text\/(?:html|plain|markdown)|application\/(?:json|xml|pdf))$/
const text = /^(?:text\/.*|application\/(?:json|xml))$/
const page = /^(?:text\/html|application\/xml)$/

/**
 * A publication: the document itself, or as JSON. Source: docs/spec/rest-service.md, "Publication template";
 * docs/spec/wire-decisions.md, "publication".
 */
export async function publish(
  call: RestCall,
  target: OfKind<'object' | 'row' | 'publication'>,
  query: RequestQuery,
): Promise<void> {
  const { context, service, principal, respond, pace } = call
  const { object, rowId, name } = readNamedTarget(call, target, query, '_printtemplate')
  if (hasBody(context.req))
    throw new RestError('ERR_BAD_REQUEST', 'A publication takes filters in its address, no body.')
  const request = readRequest(rowId, query)
  if (query.count) return countRecords(call, 'publications', { object, name }, request.search)
  const output = query.own['_output']
  if (output !== undefined && output !== 'json')
    throw new RestError(
      'ERR_BAD_REQUEST',
      `Parameter "_output" is "${output.slice(0, 100)}"; a publication knows "json".`,
    )
  const published = await service.publish(principal, object, name, request)
  const recheck = call.recheck({ object, letters: ['R'], publication: name })
  const document = { ...published, content: whileAllowed(published.content, recheck) }
  if (output === 'json' || wantsJson(context, document.mime))
    return sendContent(context, respond, 200, textHeaders(), await inJson(document), pace)
  const { mime, content } = document
  const headers = textHeaders(text.test(mime) ? `${mime}; charset=utf-8` : mime)
  headers.push('Content-Disposition', contentDisposition(shown.test(mime) ? 'inline' : 'attachment', document.name))
  if (page.test(mime)) headers.push('Content-Security-Policy', pagePolicy)
  const delivery = text.test(mime) ? respond : uncompressed(respond)
  await sendContent(
    context,
    delivery,
    200,
    headers,
    content instanceof Uint8Array ? content : { stream: content },
    pace,
  )
}

/** Gives each part only when its reader may still have it. */
function whileAllowed(content: PublishedDocument['content'], recheck: Recheck): PublishedDocument['content'] {
  if (!(content instanceof Readable)) return content
  const allowed = new PassThrough()
  // Who reads it sees its errors.
  pipeline(content, parts, allowed, () => {})
  return allowed

  async function* parts(all: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const part of all) {
      if (!(await recheck())) return
      yield part
    }
  }
}

function readRequest(rowId: string | undefined, query: RequestQuery): PublicationRequest {
  const { filters, expression, order, page, pageSize, signal } = query
  if (rowId === undefined) return { search: { filters, expression, order, page, pageSize, signal } }
  refuseSearch(query)
  const [unknown] = Object.keys(filters ?? {})
  if (unknown !== undefined) throw new RestError('ERR_BAD_REQUEST', `Unknown parameter "${unknown.slice(0, 100)}".`)
  return { rowId, signal }
}

/** The client takes JSON and does not take the document. */
function wantsJson(context: Context, mime: string): boolean {
  return (
    context.req.headers.accept !== undefined && !context.accepts(mime) && context.accepts('application/json') !== false
  )
}

/** `{name, mime, content}`: the content of text formats as text, of others in base64; streamed when the content is. */
async function inJson({ name, mime, content }: PublishedDocument): Promise<Buffer | { readonly stream: Readable }> {
  const isText = text.test(mime)
  if (isText && content instanceof Readable)
    return { stream: Readable.from(jsonParts(name, mime, content), { objectMode: false }) }
  const bytes = Buffer.from(content instanceof Readable ? await buffer(content) : content)
  return Buffer.from(JSON.stringify({ name, mime, content: bytes.toString(isText ? 'utf8' : 'base64') }))
}

async function* jsonParts(name: string, mime: string, content: Readable): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder()
  yield Buffer.from(`${JSON.stringify({ name, mime }).slice(0, -1)},"content":"`)
  for await (const chunk of content as AsyncIterable<Uint8Array>)
    yield Buffer.from(JSON.stringify(decoder.decode(chunk, { stream: true })).slice(1, -1))
  yield Buffer.from('"}')
}
