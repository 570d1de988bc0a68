import { RestError } from '@steward/rest-core/errors'
import type { Context } from 'koa'
import { decode } from './query-string.js'

/** What a request is about. */
export type Target =
  | { readonly kind: 'info' }
  | { readonly kind: 'object'; readonly object: string }
  | { readonly kind: 'row'; readonly object: string; readonly rowId: string }
  | { readonly kind: 'none' }

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
 * Reads the path below the prefix. Where no row is meant it may be empty, `0` or `_`; one `/` at the end is ignored.
 * Source: wire-decisions, "row_id, references".
 *
 * @throws RestError ERR_BAD_REQUEST for characters that are not, or wrongly, percent-encoded.
 */
export function readTarget({ path, query }: Address): Target {
  if (unencoded.test(path) || unencoded.test(query)) {
    throw new RestError('ERR_BAD_REQUEST', 'The address holds characters that must be percent-encoded (as UTF-8).')
  }
  if (path.length <= 1) return { kind: 'info' }
  const end = path.endsWith('/') ? path.length - 1 : path.length
  const slash = path.indexOf('/', 1)
  if (slash === 1 || (slash >= 0 && path.slice(slash + 1, end).includes('/'))) return { kind: 'none' }
  const object = decode(path.slice(1, slash < 0 ? end : slash), 'path')
  const row = slash < 0 ? '' : path.slice(slash + 1, end)
  if (row === '' || row === '0' || row === '_') return { kind: 'object', object }
  return { kind: 'row', object, rowId: decode(row, 'path') }
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
