import type { BusinessRecord, UpdateOptions } from '@steward/rest-core'
import type { Target } from './address.js'
import { notModifiedHeaders, send, taggedHeaders, textHeaders } from '../http/answer.js'
import type { HeaderList } from '../http/answer.js'
import { appInfo, sessionInfo } from './app-info.js'
import { readJsonBody } from './body.js'
import { publicBase } from './call.js'
import type { Call } from './call.js'
import { entityTag, matchesStrongly, matchesWeakly } from './entity-tag.js'
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

export type OfKind<K extends Target['kind']> = Extract<Target, { kind: K }>

/** What answers each operation. */
export const operations: {
  readonly [O in Operation]: (call: Call, target: TargetOf<O>, query: RequestQuery) => Promise<void> | void
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
  delete: 'row'
  upsert: 'key'
  batch: 'batch'
  indexSearch: 'object' | 'index'
  metadata: 'object'
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

function info({ context, app, principal, respond }: Call, _target: OfKind<'info'>, { session }: RequestQuery): void {
  const body = session
    ? sessionInfo(principal, context.state['session'])
    : appInfo(app, principal, context.state['session'])
  send(context, respond, 200, textHeaders(), JSON.stringify(body))
}

async function get(
  { context, service, principal, respond }: Call,
  { object, rowId }: OfKind<'row'>,
  query: RequestQuery,
): Promise<void> {
  const body = JSON.stringify(await service.get(principal, object, rowId, answerOptions(query)))
  const tag = entityTag(body)
  const known = context.req.headers['if-none-match']
  if (known !== undefined && matchesWeakly(known, tag)) send(context, respond, 304, notModifiedHeaders(tag))
  else send(context, respond, 200, taggedHeaders(tag), body)
}

async function create(call: Call, { object }: OfKind<'object'>, query: RequestQuery): Promise<void> {
  const { context, service, principal, bodyLimitBytes } = call
  const values = await readJsonBody(context, bodyLimitBytes)
  const record = await service.create(principal, object, values, answerOptions(query))
  const location = `${publicBase(call)}/${encodeURIComponent(object)}/${encodeURIComponent(record.row_id)}`
  sendWritten(call, record, 'Location', location)
}

async function update(call: Call, { object, rowId }: OfKind<'row'>, query: RequestQuery): Promise<void> {
  const { context, service, principal, bodyLimitBytes } = call
  const values = await readJsonBody(context, bodyLimitBytes)
  sendWritten(
    call,
    await service.update(principal, object, rowId, values, { ...answerOptions(query), ...precondition(call) }),
  )
}

async function remove(call: Call, { object, rowId }: OfKind<'row'>): Promise<void> {
  const { context, service, principal, respond } = call
  const result = await service.delete(principal, object, rowId, precondition(call))
  send(context, respond, 200, textHeaders(), JSON.stringify(result))
}

function sendWritten({ context, respond }: Call, record: BusinessRecord, ...more: HeaderList): void {
  const body = JSON.stringify(record)
  send(context, respond, 200, [...taggedHeaders(entityTag(body)), ...more], body)
}

/** `If-Match` holds against the record as a GET without parameters answers it. */
function precondition({ context }: Call): Pick<UpdateOptions, 'precondition'> | undefined {
  const wanted = context.req.headers['if-match']
  if (wanted === undefined) return undefined
  return { precondition: (record) => matchesStrongly(wanted, entityTag(JSON.stringify(record))) }
}
