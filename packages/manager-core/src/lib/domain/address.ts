import { isIP } from 'node:net'

/** Where something is to be published. */
export interface Address {
  readonly host: string
  /** Empty, or `/path` without a last slash. */
  readonly path: string
}

/**
 * Host and path of a URL. URLs allow much that means something in configuration files (`;`, `{`, `$`, `~`, `*`): only
 * what is plain there too is taken.
 *
 * @returns undefined: it cannot be published
 */
export function addressOf(url: string): Address | undefined {
  const parsed = URL.parse(url)
  if (!parsed) return undefined
  const host = parsed.hostname.toLowerCase().replace(/\.$/, '')
  const path = parsed.pathname.replace(/\/+$/, '')
  return isHost(host) && isPath(path) ? { host, path } : undefined
}

function isHost(host: string): boolean {
  if (isIP(host.replace(/^\[(.*)\]$/, '$1')) !== 0) return true
  return host.length <= 253 && host.split('.').every((label) => /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/.test(label))
}

function isPath(path: string): boolean {
  return path.length <= 200 && /^(?:\/[\w-][\w.-]*)*$/.test(path) && !path.startsWith('/.well-known')
}
