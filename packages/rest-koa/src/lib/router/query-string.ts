import { RestError } from '@steward/rest-core/errors'

/** Names and values of a query in their order, decoded. */
export type QueryPairs = readonly (readonly [name: string, value: string])[]

/** Not specified; chosen because no sensible search has more, and every one costs work before the search is refused. */
const mostParameters = 1000

const none: QueryPairs = []

/**
 * Reads the part of an address after `?`; `+` is a space.
 *
 * @throws RestError ERR_BAD_REQUEST for wrong percent-encoding and too many parameters.
 */
export function parseQuery(text: string): QueryPairs {
  if (text === '') return none
  const parts = text.split('&', mostParameters + 1)
  checkCount(parts.length)
  return parts
    .filter((part) => part !== '')
    .map((part) => {
      const equals = part.indexOf('=')
      return equals < 0
        ? [decode(part, 'query'), '']
        : [decode(part.slice(0, equals), 'query'), decode(part.slice(equals + 1), 'query')]
    })
}

/** @throws RestError ERR_BAD_REQUEST for too many parameters. */
export function checkCount(count: number): void {
  if (count > mostParameters)
    throw new RestError('ERR_BAD_REQUEST', `There are more than ${mostParameters} parameters.`)
}

/** @throws RestError ERR_BAD_REQUEST for wrong percent-encoding, which includes bytes that are not UTF-8. */
export function decode(text: string, where: 'path' | 'query'): string {
  const spaced = where === 'query' && text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch (cause) {
    throw new RestError('ERR_BAD_REQUEST', `"${text.slice(0, 100)}" in the ${where} is not percent-encoded UTF-8.`, {
      cause,
    })
  }
}
