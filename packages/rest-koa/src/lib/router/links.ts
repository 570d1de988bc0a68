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
  const others = query.split('&').filter((part) => part !== '' && part !== '_page' && !part.startsWith('_page='))
  const address = `${path}?${[...others, '_page='].join('&')}`.replace(/[<>"\\^`{|}]/g, encodeURIComponent)
  if (address.length > longestAddress) return undefined
  const links = [link(0, 'first')]
  if (page > 0) links.push(link(page - 1, 'prev'))
  if (more) links.push(link(page + 1, 'next'))
  if (last !== undefined) links.push(link(last, 'last'))
  return links.join(', ')

  function link(target: number, relation: string): string {
    return `<${address}${target}>; rel="${relation}"`
  }
}
