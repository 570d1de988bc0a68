import { quote } from './describe.js'
import { Problem } from './field-type.js'
import { textType } from './text-value.js'

const shape = /^\+?[\d ()./-]+(?:(?:[Xx]|[Ee][Xx][Tt]\.?|#) ?\d{1,6})?$/

const digit = '(?:[ ()./-]*[0-9])'
const extension = '(?:[Xx]|[Ee][Xx][Tt][.]?|#) ?[0-9]{1,6}'
/** The same for JSON Schema. */
const pattern = `^[+]?(?:${digit}{3,20}[ ()./-]*|${digit}{3,14}[ ()./-]*${extension})$`

/** A phone number as people write it: 3 to 20 digits, blanks and `().-/` between them, an optional leading `+` and extension. Kept as given. */
export const phoneType = textType({
  name: 'phone',
  number: 22,
  check: checkPhone,
  schema: { form: { pattern } },
})

function checkPhone(text: string): Problem | undefined {
  const digits = text.replace(/\D/g, '').length
  if (shape.test(text) && digits >= 3 && digits <= 20) return undefined
  return new Problem('ERR_PATTERN', `must be a phone number such as +33 1 23 45 67 89, not ${quote(text)}`)
}
