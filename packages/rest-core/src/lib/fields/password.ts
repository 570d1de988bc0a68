import type { PasswordField } from '../definition/definition.js'
import { Problem, type FieldType } from './field-type.js'
import { checkLeastLength, checkLength, parseText, textSchema } from './text-value.js'

const defaultLength = 255
/** Holds a password hash, whatever the length that a password may have. */
const hashLength = 255

/** A secret. Values here are plain texts; the service hashes them before they are stored, and no answer holds them. */
export const passwordType: FieldType = {
  name: 'password',
  number: 9,
  empty: '',
  like: false,
  ordered: false,
  parse: parseText,
  validate(value, field) {
    const text = value as string
    const { length = defaultLength, minLength = 0 } = field.definition as PasswordField
    const outOfBounds = checkLength(text, length) ?? checkLeastLength(text, minLength)
    if (outOfBounds) return outOfBounds
    return !field.pattern || field.pattern.test(text)
      ? undefined
      : new Problem('ERR_PATTERN', 'must match the pattern of its definition (the value is not shown, it is a secret)')
  },
  format: () => '***',
  column: () => ({ kind: 'string', length: hashLength }),
  jsonSchema(field) {
    const { length = defaultLength, minLength } = field.definition as PasswordField
    return textSchema(field, length, {
      ...(minLength !== undefined && { form: { minLength } }),
      annotations: { writeOnly: true },
    })
  },
}
