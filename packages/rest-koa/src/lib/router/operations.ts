import type { OfKind } from './address.js'
import { notModifiedHeaders, send, tagEncoded, taggedHeaders, textHeaders } from '../http/answer.js'
import { uncompressed } from '../http/delivery.js'
import { negotiate } from '../http/compression.js'
import { appInfo, sessionInfo } from './app-info.js'
import type { RestCall } from './call.js'
import { entityTag, matchesWeakly } from './entity-tag.js'
import type { Operation } from './parameters.js'
import { answerOptions } from './read-query.js'
import type { RequestQuery } from './read-query.js'
import { search } from './search.js'
import { batch } from './batch.js'
import { cancelTask, runAction, task } from './actions.js'
import { crosstab } from './crosstab.js'
import { documentation } from './documentation.js'
import { download, thumbnail, upload } from './documents.js'
import { indexSearch } from './index-search.js'
import { metadata } from './metadata.js'
import { publish } from './publication.js'
import { upsert } from './upsert.js'
import { locationOf, precondition, readBody, write, writtenRecord } from './writing.js'

/** What answers each operation. */
export const operations: {
  readonly [O in Operation]: (call: RestCall, target: TargetOf<O>, query: RequestQuery) => Promise<void> | void
} = {
  info,
  search,
  get,
  create,
  update,
  delete: remove,
  upsert,
  batch,
  indexSearch,
  metadata,
  documentation,
  action: runAction,
  publication: publish,
  crosstab,
  download,
  thumbnail,
  upload,
  task,
  cancelTask,
}

interface Targets {
  info: 'info'
  search: 'object'
  get: 'row'
  create: 'object'
  update: 'row'
  delete: 'row' | 'key'
  upsert: 'key'
  batch: 'batch'
  indexSearch: 'object' | 'index'
  metadata: 'object' | 'row'
  documentation: 'object' | 'info'
  action: 'object' | 'row' | 'action'
  publication: 'object' | 'row' | 'publication'
  crosstab: 'object'
  download: 'document'
  thumbnail: 'thumbnail'
  upload: 'document'
  task: 'task'
  cancelTask: 'task'
}

type TargetOf<O extends Operation> = OfKind<Targets[O]>

function info(
  { context, app, principal, respond }: RestCall,
  _target: OfKind<'info'>,
  { session }: RequestQuery,
): void {
  const body = session
    ? sessionInfo(principal, context.state['session'])
    : appInfo(app, principal, context.state['session'])
  // It holds the token of the session.
  send(context, uncompressed(respond), 200, textHeaders(), JSON.stringify(body))
}

/** The text of a smaller record is not counted. */
const uncounted = 65_536

async function get(call: RestCall, { object, rowId }: OfKind<'row'>, query: RequestQuery): Promise<void> {
  const { context, service, principal, respond } = call
  const body = JSON.stringify(await service.get(principal, object, rowId, answerOptions(call, query)))
  if (body.length > uncounted) await call.memory().hold(Buffer.byteLength(body))
  const tag = entityTag(body)
  const known = context.req.headers['if-none-match']
  if (known === undefined || !matchesWeakly(known, tag)) return send(context, respond, 200, taggedHeaders(tag), body)
  const headers = notModifiedHeaders(tag)
  const encoding = negotiate(context, respond, headers, Buffer.byteLength(body))
  if (encoding) tagEncoded(headers, encoding)
  send(context, respond, 304, headers)
}

async function create(call: RestCall, { object }: OfKind<'object'>, query: RequestQuery): Promise<void> {
  const { principal } = call
  const needs = [{ object, letters: ['C'] }] as const
  const body = await readBody(call, needs[0])
  await write(call, query, {
    needs,
    body,
    passwords: { object, bodies: [body] },
    async work(service) {
      const record = await service.create(principal, object, body, answerOptions(call, query))
      return writtenRecord(record, locationOf(call, object, record))
    },
  })
}

async function update(call: RestCall, { object, rowId }: OfKind<'row'>, query: RequestQuery): Promise<void> {
  const { principal } = call
  const needs = [{ object, letters: ['U'], rowId }] as const
  const body = await readBody(call, needs[0])
  const options = { ...answerOptions(call, query), ...precondition(call) }
  await write(call, query, {
    needs,
    body,
    passwords: { object, bodies: [body] },
    work: async (service) => writtenRecord(await service.update(principal, object, rowId, body, options)),
  })
}

async function remove(call: RestCall, target: OfKind<'row' | 'key'>, query: RequestQuery): Promise<void> {
  const { principal } = call
  const { object } = target
  await write(call, query, {
    needs: [{ object, letters: ['D'], rowId: target.kind === 'row' ? target.rowId : undefined }],
    async work(service) {
      // Within the write, so that a repeat finds its answer although the record is gone.
      const rowId = target.kind === 'row' ? target.rowId : await service.findByKey(principal, object, target.key)
      return { body: JSON.stringify(await service.delete(principal, object, rowId, precondition(call))) }
    },
  })
}
