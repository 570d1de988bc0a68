import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'
import proxyAddr from 'proxy-addr'

/**
 * Reverse proxies that may say whom they speak for (`X-Forwarded-For`): addresses, ranges such as `10.0.0.0/8`, or
 * `loopback`, `linklocal`, `uniquelocal`. Empty: none.
 */
export type TrustProxy = string | readonly string[]

/** Finds out where a request comes from. */
export interface ClientAddress {
  /** The address of the client, as given by trusted proxies only; IPv4 addresses in their own form. `''` when unknown. */
  of(req: IncomingMessage): string
  /** Whether the request came by a trusted proxy. */
  byTrustedProxy(req: IncomingMessage): boolean
  /** Whether a trusted proxy says that the client reached it by TLS. */
  isForwardedTls(req: IncomingMessage): boolean
}

/** @throws TypeError for a range that cannot be read. */
export function createClientAddress(trustProxy: TrustProxy = []): ClientAddress {
  const trusted = [trustProxy].flat()
  const trusts = trusted.length > 0 ? proxyAddr.compile(trusted) : undefined
  return {
    of: (req) => withoutMapping((trusts ? proxyAddr(req, trusts) : req.socket.remoteAddress) ?? ''),
    byTrustedProxy,
    isForwardedTls: (req) =>
      byTrustedProxy(req) && /^\s*https\s*(?:,|$)/i.test([req.headers['x-forwarded-proto']].flat().join()),
  }

  function byTrustedProxy({ socket }: IncomingMessage): boolean {
    return trusts !== undefined && socket.remoteAddress !== undefined && trusts(socket.remoteAddress, 0)
  }
}

/** `::ffff:192.0.2.1` is how a socket for both kinds of addresses shows `192.0.2.1`. */
function withoutMapping(address: string): string {
  return /^::ffff:\d+\.\d+\.\d+\.\d+$/i.test(address) ? address.slice(7) : address
}

/** The first 64 bits of an IPv6 address, which one customer has for himself; an IPv4 address as it is. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const { parts } = ipaddr.IPv6.parse(address)
  return parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')
}
