import { hash } from 'node:crypto'
import { checkNeed, retryDuplicate } from '@steward/rest-core'
import type { BusinessObjects, BusinessRecord, KeptAnswer, NeededRight, UpdateOptions } from '@steward/rest-core'
import { RestError } from '@steward/rest-core/errors'
import type { Context } from 'koa'
import { clientGone } from '../http/client-gone.js'
import { send, taggedHeaders, textHeaders } from '../http/answer.js'
import { readJsonBody } from './body.js'
import { publicBase } from './call.js'
import type { RestCall } from './call.js'
import { entityTag, matchesStrongly } from './entity-tag.js'
import type { RequestQuery } from './read-query.js'

/** What a write answers. */
export interface Written {
  /** JSON. */
  readonly body: string
  /** The body is a record: its entity tag. */
  readonly tag?: string | undefined
  /** Address of a new record. */
  readonly location?: string | undefined
}

export interface Writing {
  /** Asked before the answer to a repeat, too. */
  readonly needs: readonly NeededRight[]
  /** The parsed body of the request, by which repeats are recognised. */
  readonly body?: unknown
  /** Bodies that may hold passwords, which are hashed before the transaction of a key keeps others waiting. */
  readonly passwords?: { readonly object: string; readonly bodies: readonly unknown[] }
  /** It may meet a record that others create at the same time, and is then done again. Default false. */
  readonly again?: boolean
  /** It is done again when the database undid it to let others proceed. Default true. */
  readonly repeat?: boolean | undefined
  /** Does it, and may be called several times. */
  work(service: BusinessObjects): Promise<Written>
}

/** The body of a write, which is not read when its caller may not write at all. @throws RestError as `readJsonBody` */
export async function readBody(call: RestCall, need: NeededRight): Promise<unknown> {
  checkNeed(call.service.model, call.principal, need)
  return readJsonBody(call.context, call.body)
}

/**
 * The way of every write: as it is, as a dry run (`_dryrun=true`), or once (`Idempotency-Key`). A dry run keeps no key.
 * Source: docs/spec/wire-decisions.md, "additions"; the header follows the draft "The Idempotency-Key HTTP Header
 * Field".
 */
export async function write(call: RestCall, { dryRun }: RequestQuery, writing: Writing): Promise<void> {
  const { service, context, principal } = call
  const { repeat = true } = writing
  if (dryRun) {
    const run = () => service.dryRun(writing.work, { repeat, principal, signal: clientGone(context) })
    const { location: _none, ...written } = await (writing.again ? retryDuplicate(run) : run())
    context.set('X-Dry-Run', 'true')
    return sendWritten(call, written)
  }
  const key = idempotencyKey(context)
  if (key === undefined) return sendWritten(call, await writing.work(service))
  return writeOnce(call, key, { ...writing, repeat })
}

async function writeOnce({ service, principal, ...call }: RestCall, key: string, writing: Writing): Promise<void> {
  const { passwords } = writing
  if (passwords) {
    const signal = clientGone(call.context)
    await service.hashPasswords(principal, passwords.object, passwords.bodies, { signal })
  }
  const request = { key, fingerprint: fingerprintOf(call.context, writing.body), needs: writing.needs }
  const work = async (inside: BusinessObjects): Promise<KeptAnswer> => {
    const { body, tag, location } = await writing.work(inside)
    return { status: 200, body, headers: { ...(tag && { ETag: tag }), ...(location && { Location: location }) } }
  }
  const once = () => service.once(principal, request, work, { repeat: writing.repeat })
  const { replayed, answer } = await (writing.again ? retryDuplicate(once) : once())
  if (replayed) call.context.set('Idempotency-Replayed', 'true')
  const { ETag: tag, Location: location } = answer.headers
  sendWritten(call, { body: answer.body, tag, location })
}

function sendWritten(
  { context, respond }: Pick<RestCall, 'context' | 'respond'>,
  { body, tag, location }: Written,
): void {
  const headers = tag === undefined ? textHeaders() : taggedHeaders(tag)
  if (location !== undefined) headers.push('Location', location)
  send(context, respond, 200, headers, body)
}

/** The answer to a write of one record. */
export function writtenRecord(record: BusinessRecord, location?: string): Written {
  const body = JSON.stringify(record)
  return { body, tag: entityTag(body), location }
}

/** Address of a record. What starts with a bare `_` is the service's own. */
export function locationOf(call: RestCall, object: string, { row_id: rowId }: BusinessRecord): string {
  return `${publicBase(call)}/${encodeURIComponent(object)}/${encodeURIComponent(rowId).replace(/^_/, '%5F')}`
}

/** `If-Match` holds against the record as a GET without parameters answers it. */
export function precondition({ context }: RestCall): Pick<UpdateOptions, 'precondition'> | undefined {
  const wanted = context.req.headers['if-match']
  if (wanted === undefined) return undefined
  return { precondition: (record) => matchesStrongly(wanted, record && entityTag(JSON.stringify(record))) }
}

/** What the client calls this request by; a GET has none. @throws RestError ERR_BAD_REQUEST */
export function idempotencyKey({ req }: Context): string | undefined {
  const given = req.headers['idempotency-key']
  if (given === undefined || req.method === 'GET') return undefined
  const key = [given].flat().join()
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key
  throw new RestError(
    'ERR_BAD_REQUEST',
    'The header Idempotency-Key must have 1 to 255 visible ASCII characters, e.g. a random UUID.',
  )
}

/** Equal for a request that is sent again. */
function fingerprintOf({ req, originalUrl }: Context, body: unknown): string {
  const override = req.headers['x-http-method-override']
  return hash('sha256', JSON.stringify([req.method, override, originalUrl, body]), 'base64url')
}
