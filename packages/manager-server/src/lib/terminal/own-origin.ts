import type { IncomingHttpHeaders } from 'node:http'

/**
 * Whether a WebSocket was opened by a page of this server: browsers always say which page it was, and attach what the user
 * is logged in with whichever it was. Only the host is compared, as a reverse proxy may speak TLS for us.
 *
 * @param baseUrl APPS_BASEURL: how people reach the server when a reverse proxy does not pass their host on
 */
export function isOwnOrigin({ origin, host }: IncomingHttpHeaders, baseUrl: string): boolean {
  const from = URL.parse(origin ?? '')
  if (!from || !/^https?:$/.test(from.protocol)) return false
  return from.host === URL.parse(`${from.protocol}//${host}`)?.host || from.origin === new URL(baseUrl).origin
}
