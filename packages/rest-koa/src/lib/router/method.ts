import { RestError } from '@steward/rest-core/errors'
import type { Context } from 'koa'
import { refuseForeignPage } from '../http/refuse-foreign-page.js'
import type { Target } from './address.js'
import { hasLevel } from './level.js'
import type { Level } from './level.js'
import { pathForms } from './named-target.js'
import type { Operation } from './parameters.js'
import type { QueryPairs } from './query-string.js'
import { isOff } from './read-query.js'

const operations: Readonly<Record<Target['kind'], Readonly<Record<string, Operation>>>> = {
  info: { GET: 'info', HEAD: 'info' },
  object: { GET: 'search', HEAD: 'search', POST: 'create' },
  row: { GET: 'get', HEAD: 'get', PUT: 'update', DELETE: 'delete' },
  key: { GET: 'get', HEAD: 'get', PUT: 'upsert', DELETE: 'delete' },
  batch: { POST: 'batch' },
  query: { POST: 'search' },
  index: { GET: 'indexSearch', HEAD: 'indexSearch' },
  view: { GET: 'search', HEAD: 'search' },
  action: { GET: 'action', POST: 'action' },
  publication: { GET: 'publication', HEAD: 'publication', POST: 'publication' },
  document: { GET: 'download', HEAD: 'download', PUT: 'upload' },
  thumbnail: { GET: 'thumbnail', HEAD: 'thumbnail' },
  task: { GET: 'task', HEAD: 'task', DELETE: 'cancelTask' },
  none: {},
}

/** Parameters that make another operation of a call, by the kinds and methods on which they do. */
const switches: readonly {
  readonly parameter: string
  readonly operation: Operation
  readonly on: Readonly<Partial<Record<Target['kind'], readonly string[]>>>
}[] = [
  { parameter: '_action', operation: 'action', on: { object: ['GET', 'POST'], row: ['GET', 'POST'] } },
  { parameter: '_printtemplate', operation: 'publication', on: { object: ['GET', 'HEAD'], row: ['GET', 'HEAD'] } },
  {
    parameter: '_crosstab',
    operation: 'crosstab',
    on: { object: ['GET', 'HEAD'], view: ['GET', 'HEAD'], query: ['POST'] },
  },
  {
    parameter: '_metadata',
    operation: 'metadata',
    on: { object: ['GET', 'HEAD'], row: ['GET', 'HEAD'], view: ['GET', 'HEAD'] },
  },
  {
    parameter: '_doc',
    operation: 'documentation',
    on: { object: ['GET', 'HEAD'], info: ['GET', 'HEAD'], view: ['GET', 'HEAD'] },
  },
  { parameter: '_indexsearch', operation: 'indexSearch', on: { object: ['GET', 'HEAD'], query: ['POST'] } },
]

/**
 * The parameters of a request, with the one that its address stands for: the rules of the parameter (its level, where it has
 * a meaning, at most once) then hold for the address too.
 *
 * @throws RestError ERR_NOT_FOUND below its level.
 */
export function withView(target: Target, pairs: QueryPairs, level: Level): QueryPairs {
  if (target.kind !== 'view') return pairs
  if (target.parameter === '_crosstab' && !hasLevel(level, pathForms))
    throw new RestError(
      'ERR_NOT_FOUND',
      `Address "crosstab:${target.value.slice(0, 100)}" came with level ${pathForms}; this application runs at level ${level}. Use "_crosstab".`,
    )
  return [[target.parameter, target.value], ...pairs]
}

/** What the methods of a target do. */
export function operationsOf(kind: Target['kind']): Readonly<Record<string, Operation>> {
  return operations[kind]
}

/** Methods that a target takes, for `Allow`. */
export function allowedMethods(kind: Target['kind']): string {
  return [...Object.keys(operations[kind]), 'OPTIONS'].join(', ')
}

/**
 * What the method of a request asks for. POST may stand for PUT or DELETE by `_method` or `X-HTTP-Method-Override`.
 * Source: docs/spec/rest-service.md, "Endpoints"; docs/spec/wire-decisions.md, "method override".
 *
 * @throws RestError ERR_METHOD (with the header `Allow` set), ERR_BAD_REQUEST for a wrong override, ERR_ORIGIN.
 */
export function readOperation(context: Context, { kind }: Target, pairs: QueryPairs): Operation {
  const sent = context.req.method ?? 'GET'
  if (sent === 'POST') refuseForeignPage(context, 'send a POST')
  const method = sent === 'POST' ? (override(context, pairs) ?? sent) : sent
  if (sent !== 'POST' && pairs.some(([name]) => name === '_method')) {
    throw new RestError('ERR_BAD_REQUEST', `Parameter "_method" works on POST only, not on ${sent}.`)
  }
  const wanted = switches.find(
    ({ parameter, on }) =>
      on[kind]?.includes(method) && pairs.some(([name, value]) => name === parameter && !isOff(name, value)),
  )
  if (wanted) return wanted.operation
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
