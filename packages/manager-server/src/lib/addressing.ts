import { isIP } from 'node:net'
import type { GlobalSettings } from '@steward/manager-core'

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

export function createAddressing(
  { baseUrl, listen }: Pick<GlobalSettings, 'baseUrl' | 'listen'>,
  over?: string,
): Addressing {
  const url = new URL(baseUrl)
  const ofUrl = `127.0.0.1:${url.protocol === 'http:' && url.port !== '' ? url.port : '8000'}`
  const chosen = over ?? listen ?? ofUrl
  const at = chosen.lastIndexOf(':')
  const host = chosen.slice(0, at).replace(/^\[(.*)\]$/, '$1')
  const prefix = url.pathname.replace(/\/+$/, '')
  return {
    host,
    port: Number(chosen.slice(at + 1)),
    isLoopback: host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.')),
    prefix,
    below: (path) => (path === prefix || path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : undefined),
  }
}
