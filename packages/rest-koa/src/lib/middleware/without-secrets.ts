/** Names of parameters whose values may be secrets, in any spelling. */
const secretName = /pass|pwd|secret|token|auth|credential|signature|session|api[_-]?key/i

/** An address as it may be logged: no user and password, and no values of parameters that look like secrets. */
export function withoutSecrets(url: string): string {
  const bare = url.replace(/^([a-z][a-z\d+.-]*:\/\/)[^/?#@]*@/i, '$1')
  const mark = bare.indexOf('?')
  if (mark < 0) return bare
  const pairs = bare
    .slice(mark + 1)
    .split('&')
    .map((pair) => {
      const [name = ''] = pair.split('=', 1)
      return secretName.test(decodeLoosely(name)) && pair.length > name.length + 1 ? `${name}=***` : pair
    })
  return `${bare.slice(0, mark)}?${pairs.join('&')}`
}

function decodeLoosely(text: string): string {
  return text.replace(/%([0-7][\da-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}
