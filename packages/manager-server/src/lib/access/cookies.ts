import type { IncomingMessage } from 'node:http'

/** All values of a cookie: a sibling sub-domain may have put others beside ours. */
export function cookiesNamed({ headers: { cookie = '' } }: IncomingMessage, name: string): readonly string[] {
  return cookie
    .split(';', 20)
    .map((pair) => pair.trim())
    .flatMap((pair) => (pair.startsWith(`${name}=`) ? [pair.slice(name.length + 1)] : []))
}
