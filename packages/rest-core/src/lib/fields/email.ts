import { quote } from './describe.js'
import { Problem } from './field-type.js'
import { textType } from './text-value.js'

const localPart = /^[^\s\p{Cc}@"(),:;<>[\]\\]{1,64}$/u
const label = /^[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}-]{0,61}[\p{L}\p{N}\p{M}])?$/u

/**
 * One address without a display name. As the HTML standard's e-mail input, plus letters beyond ASCII; quoted local parts
 * are not taken. `user@localhost` is an address.
 */
export const emailType = textType({
  name: 'email',
  number: 12,
  check: checkEmail,
  schema: { form: { format: 'email' } },
})

function checkEmail(text: string): Problem | undefined {
  const at = text.lastIndexOf('@')
  const local = text.slice(0, Math.max(at, 0))
  const valid =
    localPart.test(local) &&
    !local.startsWith('.') &&
    !local.endsWith('.') &&
    !local.includes('..') &&
    text
      .slice(at + 1)
      .split('.')
      .every((part) => label.test(part))
  return valid
    ? undefined
    : new Problem('ERR_PATTERN', `must be an e-mail address such as name@example.com, not ${quote(text)}`)
}
