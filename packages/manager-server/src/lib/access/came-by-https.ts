import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { GlobalSettings } from '@steward/manager-core'

/**
 * Whether a browser reached the server by HTTPS: to the server itself, or as the reverse proxy says; one that says nothing
 * is taken by APPS_BASEURL. It decides what cookies are like, and nothing else: a client that lies weakens its own.
 */
export function cameByHttps(
  { headers, socket }: IncomingMessage,
  { baseUrl }: Pick<GlobalSettings, 'baseUrl'>,
): boolean {
  if ((socket as TLSSocket).encrypted) return true
  const said = headers['x-forwarded-proto']
  return typeof said === 'string' ? /^https$/i.test(said.trim()) : baseUrl.startsWith('https:')
}
