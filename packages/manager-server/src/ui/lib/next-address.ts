/**
 * Where to go after signing in, for links from any source: an address below the pages, and nowhere else.
 *
 * @param wanted path with query, as in `?next=`
 * @param pages address of the pages with a last slash
 */
export function nextAddress(wanted: string | null, pages: string): string {
  const url = wanted?.startsWith('/') ? URL.parse(wanted, pages) : null
  const isWithin = url?.origin === new URL(pages).origin && url.pathname.startsWith(new URL(pages).pathname)
  return isWithin && !/\/sign-in\/?$/.test(url.pathname) ? url.href : pages
}
