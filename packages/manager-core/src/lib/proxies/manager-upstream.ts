import type { GlobalSettings } from '../settings/settings.js'
import type { Upstream } from './site.js'

/** Where the manager's server listens by its settings; over all addresses: seen from this machine. */
export function managerUpstream({ baseUrl, listen }: Pick<GlobalSettings, 'baseUrl' | 'listen'>): Upstream {
  const url = new URL(baseUrl)
  return upstreamOf(listen ?? `127.0.0.1:${url.protocol === 'http:' && url.port !== '' ? url.port : '8000'}`)
}

const ofSocket = 'unix:'

/** Reads `address:port`, or `unix:` and the path of a socket. */
export function upstreamOf(listen: string): Upstream {
  // The rest is what HTTP calls it.
  if (listen.startsWith(ofSocket)) return { host: 'localhost', port: 80, socket: listen.slice(ofSocket.length) }
  const at = listen.lastIndexOf(':')
  const host = listen.slice(0, at).replace(/^\[(.*)\]$/, '$1')
  const local = { '0.0.0.0': '127.0.0.1', '::': '::1', '': '127.0.0.1' }[host]
  return { host: local ?? host, port: Number(listen.slice(at + 1)) }
}
