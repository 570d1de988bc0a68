import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Secret } from '@steward/manager-core'
import { cookiesNamed } from './cookies.js'

/** Browsers that a user has logged in with, by a cookie that proves nothing else: see `Throttle`. */
export interface Devices {
  /** Undefined: none that is known. */
  of(request: IncomingMessage): string | undefined
  /** Gives the browser its cookie, unless it has one. */
  remember(request: IncomingMessage, response: ServerResponse, isSecure: boolean): void
}

/**
 * @param path of the server's addresses, without a last slash
 * @param password of now: with another one all are forgotten, as it is unknown who had the old one
 */
export function createDevices(path: string, secret: Secret, password: () => string): Devices {
  const name = 'steward_device'
  const sign = (id: string) =>
    createHmac('sha256', secret.reveal())
      .update(JSON.stringify([id, password()]))
      .digest()
  const idOf = (value: string): string | undefined => {
    const [, id = '', signature = ''] = /^([\w-]{22})\.([\w-]{43})$/.exec(value) ?? []
    return timingSafeEqual(sign(id), digestOf(signature)) ? id : undefined
  }
  const of = (request: IncomingMessage) =>
    cookiesNamed(request, name)
      .map(idOf)
      .find((id) => id !== undefined)
  return {
    of,
    remember(request, response, isSecure) {
      if (of(request) !== undefined) return
      const id = randomBytes(16).toString('base64url')
      const value = `${id}.${sign(id).toString('base64url')}`
      const flags = `Path=${path || '/'}; Max-Age=31536000; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
      response.appendHeader('Set-Cookie', `${name}=${value}; ${flags}`)
    },
  }
}

function digestOf(signature: string): Buffer {
  const bytes = Buffer.from(signature, 'base64url')
  return bytes.length === 32 ? bytes : Buffer.alloc(32)
}
