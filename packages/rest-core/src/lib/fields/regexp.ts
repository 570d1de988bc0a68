import { quote } from './describe.js'
import { Problem } from './field-type.js'
import { textType } from './text-value.js'

/** A regular expression (JavaScript syntax, with or without the flag `v`), without slashes and flags. */
export const regexpType = textType({
  name: 'regexp',
  number: 15,
  check: checkRegexp,
  schema: { form: { format: 'regex' } },
})

function checkRegexp(text: string): Problem | undefined {
  if (compiles(text, '') || compiles(text, 'v')) return undefined
  return new Problem('ERR_PATTERN', `must be a regular expression that compiles, not ${quote(text)}`)
}

function compiles(source: string, flags: string): boolean {
  try {
    return new RegExp(source, flags) instanceof RegExp
  } catch {
    return false
  }
}
