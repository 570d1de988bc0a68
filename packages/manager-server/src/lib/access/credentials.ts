import { isTokenText } from '@steward/manager-core'

/** What a request proves itself by; all undefined: nothing that can be read. */
export interface Credentials {
  readonly token?: string
  readonly user?: string
  readonly password?: string
}

/** Reads the header `Authorization`: a token, also one that is given as a password, or user and password (RFC 7617, 6750). */
export function credentialsOf(header = ''): Credentials {
  const bearer = /^Bearer +(\S+) *$/i.exec(header)?.[1]
  if (bearer !== undefined) return { token: bearer }
  const encoded = /^Basic +([\w+/=-]+) *$/i.exec(header)?.[1]
  if (encoded === undefined) return {}
  const text = Buffer.from(encoded, 'base64').toString()
  const colon = text.indexOf(':')
  if (colon < 0) return {}
  const password = text.slice(colon + 1)
  return isTokenText(password) ? { token: password } : { user: text.slice(0, colon), password }
}
