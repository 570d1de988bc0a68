import { randomUUID } from 'node:crypto'
import type { Middleware } from 'koa'
import { createClientAddress } from '../http/client-address.js'
import type { TrustProxy } from '../http/client-address.js'

export interface RequestIdOptions {
  /** Proxies whose `X-Request-Id` is taken over. Default: none. */
  readonly trustProxy?: TrustProxy
}

/**
 * Gives every request an id: in `ctx.state.requestId`, in the header `X-Request-Id` of the answer, in logs. An id that
 * comes from a trusted proxy is kept when it is sane (1 to 128 letters, digits and `._~+/=:-`).
 */
export function requestId({ trustProxy = [] }: RequestIdOptions = {}): Middleware {
  const client = createClientAddress(trustProxy)
  return function requestId(context, next) {
    const given = context.req.headers['x-request-id']
    const kept = typeof given === 'string' && /^[\w.~+/=:-]{1,128}$/.test(given) && client.byTrustedProxy(context.req)
    const id = kept ? given : randomUUID()
    context.state['requestId'] = id
    context.set('X-Request-Id', id)
    return next()
  }
}
