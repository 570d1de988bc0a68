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

/** Splits the address of a request at one of the prefixes; `undefined` when it is below none of them. */
export function readAddress(url: string, prefixes: readonly string[]): Address | undefined {
  const mark = url.indexOf('?')
  const end = mark < 0 ? url.length : mark
  for (const prefix of prefixes) {
    if (!url.startsWith(prefix) || prefix.length > end) continue
    if (prefix.length < end && url.charCodeAt(prefix.length) !== 47) continue
    return { base: prefix, path: url.slice(prefix.length, end), query: mark < 0 ? '' : url.slice(mark + 1) }
  }
  return undefined
}

/**
 * Reads the path below the prefix. Names that start with `_` are the service's own. Where no row is meant it may be empty, `0` or `_`; one `/` at the end is ignored.
 * Source: docs/spec/wire-decisions.md, "row_id, references".
 *
 * @param hasZero Whether `0` is a row of the object: of a table that others made it may be. `alone`: nothing follows it.
 * @throws RestError ERR_BAD_REQUEST for characters that are not, or wrongly, percent-encoded.
 */
export function readTarget(
  { path, query }: Address,
  hasZero: (object: string, alone: boolean) => boolean = () => false,
): Target {
  if (unencoded.test(path) || unencoded.test(query)) {
    throw new RestError('ERR_BAD_REQUEST', 'The address holds characters that must be percent-encoded (as UTF-8).')
  }
  if (path.length <= 1) return { kind: 'info' }
  const end = path.endsWith('/') ? path.length - 1 : path.length
  const slash = path.indexOf('/', 1)
  if (slash === 1) return { kind: 'none' }
  const object = decode(path.slice(1, slash < 0 ? end : slash), 'path')
  const rest = slash < 0 ? '' : path.slice(slash + 1, end)
  if (object.startsWith('_')) return readService(object, rest)
  const isNoRow = (row: string): boolean => row === '' || row === '_' || (row === '0' && !hasZero(object, row === rest))
  if (isNoRow(rest)) return { kind: 'object', object }
  if (!rest.includes('/') && !rest.startsWith('_') && !/^(?:action|publication|crosstab):/.test(rest))
    return { kind: 'row', object, rowId: decode(rest, 'path') }
  return readPart(object, rest.split('/'), isNoRow)
}

/** What belongs to no object. */
function readService(name: string, rest: string): Target {
  if (name === '_index' && rest === '') return { kind: 'index' }
  if (name === '_doc' && rest === '') return { kind: 'view', parameter: '_doc', value: 'true' }
  if (name === '_task' && rest !== '' && !rest.includes('/')) return { kind: 'task', id: decode(rest, 'path') }
  return { kind: 'none' }
}

/** What lies below an object or one of its records. */
function readPart(object: string, parts: readonly string[], isNoRow: (row: string) => boolean): Target {
  const [first = '', second = '', third = ''] = parts
  const named = /^(action|publication):(.+)$/.exec(parts.at(-1) ?? '')
  if (named && parts.length <= 2) {
    const name = decode(named[2] as string, 'path')
    const kind = named[1] as 'action' | 'publication'
    if (parts.length === 1 || isNoRow(first)) return { kind, object, name }
    return { kind, object, rowId: decode(first, 'path'), name }
  }
  if (parts.length === 1) return readView(object, first)
  if (first === '_key' && parts.length === 2 && second !== '')
    return { kind: 'key', object, key: second.split(',').map((value) => decode(value, 'path')) }
  if (second === '_metadata' && parts.length === 2 && !first.startsWith('_')) {
    const view = { kind: 'view', object, parameter: '_metadata', value: 'true' } as const
    return isNoRow(first) ? view : { ...view, rowId: decode(first, 'path') }
  }
  const content = /^_(document|thumbnail)$/.exec(second)?.[1] as 'document' | 'thumbnail' | undefined
  if (content && parts.length === 3 && third !== '' && !isNoRow(first))
    return { kind: content, object, rowId: decode(first, 'path'), field: decode(third, 'path') }
  return { kind: 'none' }
}

/** One part below an object that is not a row. */
function readView(object: string, part: string): Target {
  if (part === '_batch') return { kind: 'batch', object }
  if (part === '_search') return { kind: 'query', object }
  if (part === '_index') return { kind: 'index', object }
  if (part === '_count' || part === '_metadata' || part === '_doc')
    return { kind: 'view', object, parameter: part, value: 'true' }
  const name = /^crosstab:(.+)$/.exec(part)?.[1]
  return name === undefined
    ? { kind: 'none' }
    : { kind: 'view', object, parameter: '_crosstab', value: decode(name, 'path') }
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
