import { statSync } from 'node:fs'
import type { ManagerContext } from '../context.js'
import { clientAuthorities } from './client-authorities.js'
import { readPair } from './read-pair.js'

/** What a server that speaks HTTPS itself needs, as texts in PEM. */
export interface ServerTls {
  /** With those of its authorities. */
  readonly certificate: string
  readonly key: string
  /** Authorities of client certificates; undefined: none are asked for. */
  readonly clientAuthorities: string | undefined
}

type Context = Pick<ManagerContext, 'settings' | 'certificates'>

/**
 * Whether the server of this manager speaks HTTPS itself: its address is one of HTTPS, no reverse proxy publishes it, and
 * there is a certificate for it, or ACME is to give it one. On loopback only at the port of the address: at another one a
 * proxy of the operator's own is in front of it. Not specified; chosen.
 */
export function speaksHttps(
  { settings, certificates }: Context,
  { isLoopback, port }: { readonly isLoopback: boolean; readonly port: number },
): boolean {
  const { baseUrl, proxy, ssl, acme } = settings.global
  const url = new URL(baseUrl)
  if (url.protocol !== 'https:' || ssl.mode === 'off' || proxy.enabled) return false
  if (isLoopback && port !== Number(url.port || 443)) return false
  return acme !== undefined || certificates.for([url.hostname]) !== undefined
}

/** Changes when what `readServerTls()` gives may have changed. */
export function stampOfServerTls({ settings, certificates }: Context): string {
  const { baseUrl, ssl } = settings.global
  const files = certificates.for([new URL(baseUrl).hostname])
  const all = [files?.certificate, files?.key, ssl.serverCaCertificate, ssl.clientCaCertificate, ssl.clientCaFolder]
  return all.map((file) => `${file}:${file && statSync(file, { throwIfNoEntry: false })?.mtimeMs}`).join(' ')
}

/**
 * For the host of the manager's address. Throws when files cannot be read or do not belong together.
 *
 * @returns undefined: there is no certificate (yet)
 */
export function readServerTls({ settings, certificates }: Context): ServerTls | undefined {
  const { baseUrl, ssl } = settings.global
  const files = certificates.for([new URL(baseUrl).hostname])
  if (!files) return undefined
  const authorities = files.origin === 'configured' ? ssl.serverCaCertificate : undefined
  const { chain, key } = readPair({ ...files, authorities })
  return { certificate: chain, key, clientAuthorities: clientAuthorities(ssl) }
}
