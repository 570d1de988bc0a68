import { isUtf8 } from 'node:buffer'

export interface LoginAndPassword {
  readonly login: string
  readonly password: string
}

/** What an authorization header holds. */
export type Credentials =
  | ({ readonly kind: 'password' } & LoginAndPassword)
  | { readonly kind: 'token'; readonly token: string }

/** Reads `Basic …` (RFC 7617, UTF-8) or `Bearer …` (RFC 6750); `undefined` when it is malformed. */
export function readAuthorization(header: string): Credentials | undefined {
  const [, scheme = '', value = ''] = /^([A-Za-z]+) +([^\s]+)$/.exec(header) ?? []
  switch (scheme.toLowerCase()) {
    case 'basic':
      return readBasic(value)
    case 'bearer':
      return /^[\w.~+/-]+=*$/.test(value) ? { kind: 'token', token: value } : undefined
    default:
      return undefined
  }
}

function readBasic(value: string): Credentials | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(value)) return undefined
  const bytes = Buffer.from(value, 'base64')
  if (!isUtf8(bytes)) return undefined
  const [, login, password] = /^([^:\p{Cc}]+):(\P{Cc}*)$/u.exec(bytes.toString()) ?? []
  return login === undefined || password === undefined ? undefined : { kind: 'password', login, password }
}
