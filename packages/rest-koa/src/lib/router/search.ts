import type { BusinessRecord, SearchRequest } from '@steward/rest-core'
import { send, textHeaders } from '../http/answer.js'
import type { Target } from './address.js'
import { AnswerText } from './answer-text.js'
import { publicBase } from './call.js'
import type { RestCall } from './call.js'
import { nextLink, pageLinks } from './links.js'
import { withMemory } from './read-query.js'
import type { RequestQuery } from './read-query.js'
import { jsonArray, jsonLines, streamRows } from './stream-rows.js'
import type { RowFormat } from './stream-rows.js'

/** Search and count: one page, or all rows as a stream. Source: docs/spec/wire-decisions.md, "search" and "count". */
export async function search(
  call: RestCall,
  { object }: Extract<Target, { kind: 'object' }>,
  query: RequestQuery,
): Promise<void> {
  const { context, service, principal, respond, pace } = call
  if (query.count)
    return send(context, respond, 200, textHeaders(), JSON.stringify(await service.count(principal, object, query)))
  const format = wantsLines(call) ? jsonLines : jsonArray
  if (query.cursor !== undefined) return searchFrom(call, object, query, format)
  if (query.page !== undefined) return searchPage(call, object, query, query.page, format)
  const batches = await service.search(principal, object, withMemory(call, query))
  await streamRows(context, respond, batches, format, {
    memory: call.memory(),
    pace,
    recheck: call.recheck({ object, letters: ['R'] }),
  })
}

/** One page with its `Link` header, see `linkOfPage`. */
async function searchPage(
  call: RestCall,
  object: string,
  request: SearchRequest,
  page: number,
  format: RowFormat,
): Promise<void> {
  const { context, service, principal, respond } = call
  const exact = prefersExactCount(context.req.headers['prefer'])
  const reading = readPage(call, object, request, format)
  const [{ count, text }, counted] = exact
    ? await Promise.all([reading, service.count(principal, object, request)])
    : [await reading, undefined]
  const { pageSize = service.model.object(object).pageSize } = request
  const link = linkOfPage(call, { page, count, pageSize, lastPage: counted?.maxpage })
  const headers = textHeaders(format.mediaType)
  if (link) headers.push('Link', link)
  if (counted) headers.push('Preference-Applied', 'count=exact', 'X-Total-Count', `${counted.count}`)
  send(context, respond, 200, headers, text.end())
}

interface AnsweredPage {
  readonly page: number
  /** How many records it has, and may have. */
  readonly count: number
  readonly pageSize: number
  /** Default: not counted. */
  readonly lastPage?: number | undefined
}

/**
 * The header `Link` of a page; undefined: its request has no address. `first`, `prev` and `next` are always there when they
 * exist. `last` needs the number of records when the page is full, and counting costs more than many pages: it is then only
 * given when the client of a search asks by `Prefer: count=exact` (RFC 7240), together with `X-Total-Count`. Not specified;
 * chosen because of that cost.
 */
export function linkOfPage(call: RestCall, { page, count, pageSize, lastPage }: AnsweredPage): string | undefined {
  if (!hasAddress(call)) return undefined
  const { path, query } = call.address()
  const isFull = count >= pageSize
  const known = !isFull && (count > 0 || page === 0) ? page : undefined
  return pageLinks(publicBase(call) + path, query, {
    page,
    more: lastPage === undefined ? isFull : page < lastPage,
    last: lastPage ?? known,
  })
}

/** One page by cursor, with the cursor of the next one as long as there is one. */
async function searchFrom(call: RestCall, object: string, request: SearchRequest, format: RowFormat): Promise<void> {
  const { context, service, principal, respond } = call
  const exact = prefersExactCount(context.req.headers['prefer'])
  const reading = readPage(call, object, request, format)
  const [{ last, text }, counted] = exact
    ? await Promise.all([reading, service.count(principal, object, { ...request, cursor: undefined })])
    : [await reading, undefined]
  const next = last && service.nextCursor(principal, object, request, last)
  const headers = textHeaders(format.mediaType)
  if (next !== undefined) {
    const { path, query } = call.address()
    const link = hasAddress(call) && nextLink(publicBase(call) + path, query, next)
    if (link) headers.push('Link', link)
    headers.push('X-Next-Cursor', next)
  }
  if (counted) headers.push('Preference-Applied', 'count=exact', 'X-Total-Count', `${counted.count}`)
  send(context, respond, 200, headers, text.end())
}

/** A search by POST cannot be repeated by its address alone. */
function hasAddress({ context }: RestCall): boolean {
  return context.req.method !== 'POST'
}

function prefersExactCount(header: string | string[] | undefined): boolean {
  return header !== undefined && /(?:^|,)\s*count\s*=\s*"?exact"?/i.test([header].flat().join())
}

interface Page {
  readonly count: number
  readonly last: BusinessRecord | undefined
  readonly text: AnswerText
}

async function readPage(call: RestCall, object: string, request: SearchRequest, format: RowFormat): Promise<Page> {
  const { service, principal } = call
  const text = new AnswerText(format, call.memory)
  let count = 0
  let last: BusinessRecord | undefined
  for await (const batch of await service.search(principal, object, withMemory(call, request))) {
    await text.add(batch)
    count += batch.length
    last = batch.at(-1)
  }
  return { count, last, text }
}

/** NDJSON, when the client prefers it to JSON. */
function wantsLines({ context }: RestCall): boolean {
  return (
    Boolean(context.req.headers.accept?.includes('ndjson')) &&
    context.accepts('application/json', 'application/x-ndjson') === 'application/x-ndjson'
  )
}
