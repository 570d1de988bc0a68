import { isIP } from 'node:net'
import type { GlobalSettings } from '@steward/manager-core'
import { ManagerError } from '@steward/manager-core/errors'

/** Where the server listens, and what is before its addresses. */
export interface Addressing {
  readonly host: string
  /** 0: a free one. */
  readonly port: number
  /** Whether only this machine can reach it. */
  readonly isLoopback: boolean
  /** Path of APPS_BASEURL, without a last slash: empty, or `/manager`. */
  readonly prefix: string
  /** `path` below the prefix; undefined: it is not below it. */
  below(path: string): string | undefined
}

/**
 * @param over `address:port`, over the settings
 * @throws ManagerError ERR_USAGE when it is none
 */
export function createAddressing(
  { baseUrl, listen }: Pick<GlobalSettings, 'baseUrl' | 'listen'>,
  over?: string,
): Addressing {
  const url = new URL(baseUrl)
  const ofUrl = `127.0.0.1:${url.protocol === 'http:' && url.port !== '' ? url.port : '8000'}`
  const chosen = over ?? listen ?? ofUrl
  const at = chosen.lastIndexOf(':')
  const host = chosen.slice(0, at).replace(/^\[(.*)\]$/, '$1')
  const port = chosen.slice(at + 1)
  if (at < 1 || host === '' || !/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new ManagerError('ERR_USAGE', `"${chosen.slice(0, 80)}" is not an address to listen on.`, {
      help: 'It is an address and a port, such as 127.0.0.1:8000, 0.0.0.0:8000 or [::1]:8000.',
    })
  const prefix = url.pathname.replace(/\/+$/, '')
  return {
    host,
    port: Number(port),
    isLoopback: host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.')),
    prefix,
    below: (path) => (path === prefix || path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : undefined),
  }
}
