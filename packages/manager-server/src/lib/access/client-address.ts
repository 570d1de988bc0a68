import type { IncomingMessage } from 'node:http'
import { isIP, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'
import proxyAddress from 'proxy-addr'
import type { GlobalSettings } from '@steward/manager-core'

type AddressSettings = Pick<GlobalSettings, 'trustedProxies'> & { readonly proxy: { readonly enabled: boolean } }

/**
 * Where requests come from: the IP address of the client, as the reverse proxies say that are trusted. When the manager
 * has a reverse proxy of its own (APPS_PROXY), others on this machine are believed only with its secret: an instance could
 * name any address.
 */
export function createClientAddress({
  isOwnProxy,
}: {
  readonly isOwnProxy: (request: IncomingMessage) => boolean
}): (request: IncomingMessage, settings: AddressSettings) => string {
  let proxies: readonly string[] = []
  let isTrusted = proxyAddress.compile([])
  return (request, { trustedProxies, proxy }) => {
    const peer = plain(request.socket.remoteAddress)
    if (proxy.enabled && isLoopback(peer) && !isOwnProxy(request)) return peer
    if (trustedProxies !== proxies) {
      isTrusted = proxyAddress.compile([...trustedProxies])
      proxies = trustedProxies
    }
    const said = plain(proxyAddress(request, isTrusted))
    return isIP(said) === 0 ? peer : said
  }
}

/** IPv4 in its own form, and without the name of an interface. */
function plain(address = ''): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
}

/** Whether it is an address of this machine only. */
export function isLoopback(address: string): boolean {
  return address === '::1' || (isIP(address) === 4 && address.startsWith('127.'))
}

/** What one holder of addresses has: of IPv6 the network of 64 bits, `2001:db8:0:1`. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const { parts } = ipaddr.IPv6.parse(address)
  return parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')
}
