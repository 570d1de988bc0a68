import { quote } from './describe.js'
import { Problem } from './field-type.js'
import { textType } from './text-value.js'

const hex = /^#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})$/i

/** `#rgb`, `#rgba`, `#rrggbb` or `#rrggbbaa`, kept as given. */
export const colorType = textType({ name: 'color', number: 23, check: checkColor })

function checkColor(text: string): Problem | undefined {
  return hex.test(text) ? undefined : new Problem('ERR_PATTERN', `must be a colour such as #1e90ff, not ${quote(text)}`)
}
