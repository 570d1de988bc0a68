import { createHmac } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Secret, Session } from '@steward/manager-core'
import { cookiesNamed } from './cookies.js'

/** The half of a session that no page can read. */
export interface SessionCookie {
  /** What a request says, unlooked at. */
  of(request: IncomingMessage): readonly string[]
  set(response: ServerResponse, secret: Secret, session: Session, isSecure: boolean): void
  clear(response: ServerResponse, isSecure: boolean): void
}

/**
 * @param path of the server's addresses, without a last slash
 * @param server secret of this server: browsers send cookies to all ports of a host, so another manager there has another name
 */
export function createSessionCookie(path: string, server: Secret): SessionCookie {
  const suffix = createHmac('sha256', server.reveal()).update('session cookie').digest('hex').slice(0, 8)
  const name = `steward_session_${suffix}`
  const put = (response: ServerResponse, value: string, isSecure: boolean, life = '') =>
    response.appendHeader(
      'Set-Cookie',
      `${name}=${value}; Path=${path || '/'};${life} HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`,
    )
  return {
    of: (request) => cookiesNamed(request, name),
    set(response, secret, { stays, expires }, isSecure) {
      put(response, secret.reveal(), isSecure, stays ? ` Expires=${new Date(expires).toUTCString()};` : '')
    },
    clear: (response, isSecure) => void put(response, '', isSecure, ' Max-Age=0;'),
  }
}
