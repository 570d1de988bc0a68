import { quote } from './describe.js'
import { Problem } from './field-type.js'
import { textType } from './text-value.js'

/**
 * Not specified; chosen because a browser runs nothing of the application's origin when such a link is followed
 * (`javascript:` and `data:` links would).
 */
const safeSchemes: readonly string[] = ['http', 'https', 'ftp', 'ftps', 'sftp', 'mailto', 'tel']

const scheme = /^([a-z][a-z0-9+.-]{0,20}):/i

/** An absolute address with one of the safe schemes, without blanks and control characters. */
export const urlType = textType({
  name: 'url',
  number: 10,
  check: checkUrl,
  schema: { form: { format: 'uri', pattern: `^(?:${safeSchemes.map(eitherCase).join('|')}):` } },
})

/** JSON Schema has no way to ignore case. */
function eitherCase(text: string): string {
  return text.replace(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`)
}

function checkUrl(text: string): Problem | undefined {
  const given = scheme.exec(text)?.[1]
  if (given === undefined) {
    return new Problem('ERR_PATTERN', `must be a complete address such as https://example.com/, not ${quote(text)}`)
  }
  if (!safeSchemes.includes(given.toLowerCase())) {
    return new Problem(
      'ERR_PATTERN',
      `must be an address that starts with one of ${safeSchemes.map((s) => `${s}:`).join(' ')}, not ${quote(`${given}:`)}`,
    )
  }
  if (/[\s\p{Cc}]/u.test(text) || !URL.canParse(text)) {
    return new Problem('ERR_PATTERN', `must be a well-formed address, with blanks written as %20, not ${quote(text)}`)
  }
  return undefined
}
