import { quote } from './describe.js'
import { Problem } from './field-type.js'
import { textType } from './text-value.js'

const hex = /^#(?:[\dA-Fa-f]{3,4}|[\dA-Fa-f]{6}|[\dA-Fa-f]{8})$/

/** `#rgb`, `#rgba`, `#rrggbb` or `#rrggbbaa`, kept as given. */
export const colorType = textType({
  name: 'color',
  number: 23,
  check: checkColor,
  schema: { form: { pattern: hex.source } },
})

function checkColor(text: string): Problem | undefined {
  return hex.test(text) ? undefined : new Problem('ERR_PATTERN', `must be a colour such as #1e90ff, not ${quote(text)}`)
}
