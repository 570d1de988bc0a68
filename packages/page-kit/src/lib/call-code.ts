/** A request as people are shown it; credentials are not part of it. */
export interface ShownRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** A file is named, not sent. */
  readonly body?: string | { readonly name: string }
}

/** How the user signed in, as far as it may be shown. */
export type SignedInBy = { readonly kind: 'password'; readonly login: string } | { readonly kind: 'token' | 'nobody' }

/**
 * The command that sends the same request from a shell. It holds no secret: curl asks for a password, and a token is taken
 * from the variable `TOKEN`.
 */
export function curlCommand({ method, url, headers, body }: ShownRequest, by: SignedInBy): string {
  const words = ['curl']
  if (by.kind === 'password') words.push('-u', quote(by.login))
  if (by.kind === 'token') words.push('-H', '"Authorization: Bearer $TOKEN"')
  if (method !== 'GET' && !(method === 'POST' && body !== undefined)) words.push('-X', method)
  for (const [name, value] of Object.entries(headers)) words.push('-H', quote(`${name}: ${value}`))
  // `@` at the start would name a file.
  if (typeof body === 'string') words.push(body.startsWith('@') ? '--data-raw' : '-d', quote(body))
  else if (body) words.push('--data-binary', quote(`@${body.name}`))
  return [...words, quote(url)].join(' ')
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/**
 * A module that makes a call with `@steward/rest-client`; a password or token is taken from a variable.
 *
 * @param viewAs whose view an administrator asks for
 */
export function clientModule(rest: string, by: SignedInBy, call: string, viewAs?: string): string {
  const credentials =
    by.kind === 'password'
      ? [`  credentials: { login: ${JSON.stringify(by.login)}, password: process.env.PASSWORD ?? '' },`]
      : by.kind === 'token'
        ? [`  credentials: { token: process.env.TOKEN ?? '' },`]
        : []
  return [
    `import { createClient } from '@steward/rest-client'`,
    '',
    `const client = createClient({`,
    `  url: ${JSON.stringify(rest)},`,
    ...credentials,
    ...(viewAs === undefined ? [] : [`  viewAs: ${JSON.stringify(viewAs)},`]),
    `})`,
    call,
  ].join('\n')
}
