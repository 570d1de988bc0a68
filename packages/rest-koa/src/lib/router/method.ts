import { RestError } from '@steward/rest-core/errors'
import type { Context } from 'koa'
import { refuseForeignPage } from '../http/refuse-foreign-page.js'
import type { Target } from './address.js'
import type { Operation } from './parameters.js'
import type { QueryPairs } from './query-string.js'

const operations: Readonly<Record<Target['kind'], Readonly<Record<string, Operation>>>> = {
  info: { GET: 'info', HEAD: 'info' },
  object: { GET: 'search', HEAD: 'search', POST: 'create' },
  row: { GET: 'get', HEAD: 'get', PUT: 'update', DELETE: 'delete' },
  none: {},
}

/** Methods that a target takes, for `Allow`. */
export function allowedMethods(kind: Target['kind']): string {
  return [...Object.keys(operations[kind]), 'OPTIONS'].join(', ')
}

/**
 * What the method of a request asks for. POST may stand for PUT or DELETE by `_method` or `X-HTTP-Method-Override`.
 * Source: rest-service.md, "Endpoints"; wire-decisions, "method override".
 *
 * @throws RestError ERR_METHOD (with the header `Allow` set), ERR_BAD_REQUEST for a wrong override, ERR_ORIGIN.
 */
export function readOperation(context: Context, { kind }: Target, pairs: QueryPairs): Operation {
  const sent = context.req.method ?? 'GET'
  if (sent === 'POST') refuseForeignPage(context.req)
  const method = sent === 'POST' ? (override(context, pairs) ?? sent) : sent
  if (sent !== 'POST' && pairs.some(([name]) => name === '_method')) {
    throw new RestError('ERR_BAD_REQUEST', `Parameter "_method" works on POST only, not on ${sent}.`)
  }
  const known = operations[kind]
  const operation = Object.hasOwn(known, method) ? known[method] : undefined
  if (operation) return operation
  context.set('Allow', allowedMethods(kind))
  const hint =
    kind === 'row' && method === 'POST'
      ? '; to change or delete the record use PUT or DELETE, or add "_method=PUT" or "_method=DELETE"'
      : ''
  throw new RestError('ERR_METHOD', `${method} does not work on this address${hint}.`)
}

function override(context: Context, pairs: QueryPairs): string | undefined {
  const given = pairs.find(([name]) => name === '_method')?.[1] ?? context.req.headers['x-http-method-override']
  if (given === undefined) return undefined
  const method = [given].flat().join().toUpperCase()
  if (method === 'PUT' || method === 'DELETE' || method === 'POST') return method
  throw new RestError('ERR_BAD_REQUEST', `POST cannot stand for "${method.slice(0, 100)}", only for PUT and DELETE.`)
}
