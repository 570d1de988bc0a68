import { RestError } from '@steward/rest-core/errors'
import type { Context } from 'koa'
import { decode } from './query-string.js'

/** What a request is about. */
export type Target =
  | { readonly kind: 'info' }
  | { readonly kind: 'object'; readonly object: string }
  | { readonly kind: 'row'; readonly object: string; readonly rowId: string }
  /** `/<object>/_key/<value>[,<value>…]` */
  | { readonly kind: 'key'; readonly object: string; readonly key: readonly string[] }
  /** `/<object>/_batch` */
  | { readonly kind: 'batch'; readonly object: string }
  /** `/<object>/_search`: a search whose parameters are in the body. */
  | { readonly kind: 'query'; readonly object: string }
  /** `/_index`: all indexed objects; `/<object>/_index`: one. */
  | { readonly kind: 'index'; readonly object?: string }
  /**
   * What a parameter asks for, at an address of its own, since OpenAPI knows one operation per address and method:
   * `/<object>/_count`, `/<object>[/<row_id>]/_metadata`, `/<object>/_doc`, `/<object>/crosstab:<name>`, and `/_doc` for all objects.
   */
  | {
      readonly kind: 'view'
      readonly object?: string
      readonly rowId?: string
      readonly parameter: View
      readonly value: string
    }
  /** `/<object>[/<row_id>]/action:<name>` */
  | { readonly kind: 'action'; readonly object: string; readonly rowId?: string; readonly name: string }
  /** `/<object>[/<row_id>]/publication:<name>` */
  | { readonly kind: 'publication'; readonly object: string; readonly rowId?: string; readonly name: string }
  /** `/<object>/<row_id>/_document/<field>` */
  | { readonly kind: 'document'; readonly object: string; readonly rowId: string; readonly field: string }
  /** `/<object>/<row_id>/_thumbnail/<field>` */
  | { readonly kind: 'thumbnail'; readonly object: string; readonly rowId: string; readonly field: string }
  /** `/_task/<id>` */
  | { readonly kind: 'task'; readonly id: string }
  | { readonly kind: 'none' }

/** Targets of these kinds. */
export type OfKind<K extends Target['kind']> = Extract<Target, { kind: K }>

/** A parameter that has an address of its own too. */
export type View = '_count' | '_metadata' | '_doc' | '_crosstab'

/** One kind of address below the base. */
export interface RestRoute {
  /** Name of the route in the router: `router.url('row', { object: 'Task', row_id: '7' })`. */
  readonly name: string
  /** In the syntax of `@koa/router`. */
  readonly path: string
  readonly kind: Exclude<Target['kind'], 'none'>
  /** The parameter that an address of kind `view` stands for. */
  readonly view?: View
}

export interface Address {
  /** The part of the path before the object, as it was sent. */
  readonly base: string
  /** The rest of the path, as it was sent: empty or from its first `/` on. */
  readonly path: string
  /** What follows `?`, as it was sent. */
  readonly query: string
}

const unencoded = /[^\x21-\x7e]/

/** Path and query of a request, as they were sent; a request to a proxy names the host too. */
export function urlOf(context: Context): string {
  const { url = '/' } = context.req
  return url.startsWith('/') ? url : context.path + context.search
}

/** What follows `?` in an address, as it was sent. */
export function queryOf(url: string): string {
  const mark = url.indexOf('?')
  return mark < 0 ? '' : url.slice(mark + 1)
}

/**
 * @throws RestError ERR_BAD_REQUEST for characters that are not percent-encoded; ERR_NOT_FOUND for a `#`, which belongs to no
 *   address that is sent.
 */
export function checkEncoded(url: string): void {
  if (unencoded.test(url))
    throw new RestError('ERR_BAD_REQUEST', 'The address holds characters that must be percent-encoded (as UTF-8).')
  if (url.includes('#')) throw unknownAddress(url)
}

export function unknownAddress(path: string): RestError {
  return RestError.notFound(`Address "${path.slice(0, 200)}"`)
}

/** What an address had for the parameters of its route, as it was sent. */
export interface Sent {
  readonly object?: string
  readonly row_id?: string
  readonly key?: string
  readonly name?: string
  readonly field?: string
  readonly id?: string
}

/** Whether `0` is a row of an object: of a table that others made it may be. `alone`: nothing follows it. */
export type HasZero = (object: string, alone: boolean) => boolean

/** Names that start with `_` are the service's own, and a row does not start like this. */
const reserved = /^(?:_.|(?:action|publication|crosstab):)/

/** Whether an address that a route matches is one of its kind; else it belongs to another route, or to none. */
export function isOfRoute({ kind }: RestRoute, { object = '', row_id: row = '' }: Sent, path: string): boolean {
  // Without a prefix, the slash that an address may have at its end is one too many.
  if (object.startsWith('_') || path === '//') return false
  return !(kind === 'row' && reserved.test(row)) && !(kind === 'view' && row.startsWith('_'))
}

/**
 * Reads what a request is about. Where no row is meant it may be empty, `0` or `_`.
 * Source: docs/spec/wire-decisions.md, "row_id, references".
 *
 * @throws RestError ERR_BAD_REQUEST for what is wrongly percent-encoded.
 */
export function readTarget({ kind, view }: RestRoute, sent: Sent, hasZero: HasZero = () => false): Target {
  if (kind === 'task') return { kind, id: decode(sent.id ?? '', 'path') }
  if (kind === 'view' && sent.object === undefined) return { kind, parameter: view as View, value: 'true' }
  if (kind === 'info' || (kind === 'index' && sent.object === undefined)) return { kind }
  const object = decode(sent.object ?? '', 'path')
  if (object.startsWith('_')) return readService(object, kind, sent.row_id)
  const { row_id: row = '' } = sent
  const isNoRow = row === '' || row === '_' || (row === '0' && !hasZero(object, kind === 'row'))
  const name = sent.name === undefined ? undefined : decode(sent.name, 'path')
  const rowId = isNoRow ? undefined : decode(row, 'path')
  const ofRow = rowId === undefined ? undefined : { rowId }
  switch (kind) {
    case 'row':
      return rowId === undefined ? { kind: 'object', object } : { kind, object, rowId }
    case 'key':
      return { kind, object, key: (sent.key ?? '').split(',').map((value) => decode(value, 'path')) }
    case 'view':
      return { kind, object, ...ofRow, parameter: view as View, value: name ?? 'true' }
    case 'action':
    case 'publication':
      return { kind, object, ...ofRow, name: name ?? '' }
    case 'document':
    case 'thumbnail':
      return rowId === undefined ? { kind: 'none' } : { kind, object, rowId, field: decode(sent.field ?? '', 'path') }
    default:
      return { kind, object }
  }
}

/** The service's own names have routes; here they are percent-encoded, which means the same. */
function readService(name: string, kind: RestRoute['kind'], id: string | undefined): Target {
  if (kind === 'row' && name === '_task' && id !== undefined) return { kind: 'task', id: decode(id, 'path') }
  if (kind === 'object' && name === '_index') return { kind: 'index' }
  if (kind === 'object' && name === '_doc') return { kind: 'view', parameter: '_doc', value: 'true' }
  return { kind: 'none' }
}

/**
 * An address below the base that no route is for.
 *
 * @throws RestError ERR_BAD_REQUEST when its object is wrongly percent-encoded.
 */
export function unknownTarget(path: string): Target {
  decode(path.split('/', 2)[1] ?? '', 'path')
  return { kind: 'none' }
}

/**
 * Checks prefixes and gives them without a `/` at the end, longest first.
 *
 * @throws TypeError
 */
export function normalisePrefixes(prefix: string | readonly string[]): readonly string[] {
  return [prefix]
    .flat()
    .map((text) => {
      const bare = text.replace(/\/$/, '')
      if (bare !== '' && !/^\/[^?#\s]*[^/?#\s]$/.test(bare)) {
        throw new TypeError(`Prefix "${text}" must be a path that starts with "/".`)
      }
      return bare
    })
    .toSorted((a, b) => b.length - a.length)
}
