/** Not specified; chosen so that four links stay well below the header limits of clients (16 KiB). */
const longestAddress = 2000

/** What is known about the pages around one. */
export interface PagePosition {
  readonly page: number
  /** There is at least one more page. */
  readonly more: boolean
  /** Number of the last page, when known. */
  readonly last: number | undefined
}

/**
 * The value of the `Link` header of a page: first, prev, next, last as far as they are there and known; `undefined` when
 * the address is too long to be repeated.
 *
 * @param path absolute path of the search, as it was sent.
 * @param query what follows `?`, as it was sent.
 */
export function pageLinks(path: string, query: string, { page, more, last }: PagePosition): string | undefined {
  const address = addressWithout('_page', path, query)
  if (address.length > longestAddress) return undefined
  const links = [link(0, 'first')]
  // Before a page beyond the end is the last one, where that is known.
  if (page > 0) links.push(link(Math.min(page - 1, last ?? page), 'prev'))
  if (more) links.push(link(page + 1, 'next'))
  if (last !== undefined) links.push(link(last, 'last'))
  return links.join(', ')

  function link(target: number, relation: string): string {
    return `<${address}${target}>; rel="${relation}"`
  }
}

/** The value of the `Link` header of a page by cursor; `undefined` when the address is too long to be repeated. */
export function nextLink(path: string, query: string, cursor: string): string | undefined {
  const address = addressWithout('_cursor', path, query)
  return address.length > longestAddress ? undefined : `<${address}${cursor}>; rel="next"`
}

/** The same address with another value of one parameter, which is left to be appended. */
function addressWithout(name: string, path: string, query: string): string {
  const others = query.split('&').filter((part) => part !== '' && part !== name && !part.startsWith(`${name}=`))
  return `${path}?${[...others, `${name}=`].join('&')}`.replace(/[<>"\\^`{|}]/g, encodeURIComponent)
}
