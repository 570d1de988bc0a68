import { BlockList, isIP } from 'node:net'
import { RestError } from '@steward/rest-core/errors'
import type { Middleware } from 'koa'
import { createClientAddress } from '../http/client-address.js'
import type { TrustProxy } from '../http/client-address.js'
import { sendError } from '../http/send-error.js'

export interface AllowOriginsOptions {
  /** Proxies that are believed about the client's address. Default: none. */
  readonly trustProxy?: TrustProxy
}

/**
 * Lets through only clients with an address in one of the ranges; others get 403 (`ERR_ORIGIN`).
 * Source: docs/spec/rest-service.md, "What the service does", rule 4.
 *
 * @param ranges addresses (`192.0.2.1`, `2001:db8::1`), networks (`10.0.0.0/8`) or spans (`192.0.2.1-192.0.2.9`).
 * @throws TypeError for a range that cannot be read, and for none at all.
 *
 * @example
 * app.use(allowOrigins(['10.0.0.0/8', '::1'], { trustProxy: 'loopback' }))
 */
export function allowOrigins(ranges: readonly string[], { trustProxy = [] }: AllowOriginsOptions = {}): Middleware {
  if (ranges.length === 0)
    throw new TypeError('allowOrigins() needs at least one address range; without one, no client could connect.')
  const allowed = new BlockList()
  for (const range of ranges) add(allowed, range.trim())
  const client = createClientAddress(trustProxy)
  return async function allowOrigins(context, next) {
    const address = client.of(context.req)
    const version = isIP(address)
    if (version !== 0 && allowed.check(address, version === 6 ? 'ipv6' : 'ipv4')) return next()
    sendError(context, new RestError('ERR_ORIGIN', 'Calls from this address are not allowed.'))
  }
}

function add(list: BlockList, range: string): void {
  const [, first = '', separator, second = ''] = /^([^/-]+)(?:([/-])([^/-]+))?$/.exec(range) ?? []
  const family = isIP(first) === 6 ? 'ipv6' : 'ipv4'
  try {
    if (isIP(first) === 0) throw new TypeError('not an address')
    if (separator === undefined) list.addAddress(first, family)
    else if (separator === '-') list.addRange(first, second, family)
    else {
      if (!/^\d{1,3}$/.test(second)) throw new TypeError('not a number of bits')
      list.addSubnet(first, Number(second), family)
    }
  } catch (cause) {
    throw new TypeError(`"${range}" is not an address range; give e.g. 192.0.2.1, 10.0.0.0/8 or 192.0.2.1-192.0.2.9.`, {
      cause,
    })
  }
}
