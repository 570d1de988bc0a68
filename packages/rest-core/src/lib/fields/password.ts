import type { PasswordField } from '../definition/definition.js'
import { Problem, type FieldType } from './field-type.js'
import { checkLength, parseText, textSchema } from './text-value.js'

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
    const { length = defaultLength } = field.definition as PasswordField
    const tooLong = checkLength(text, length)
    if (tooLong) return tooLong
    return !field.pattern || field.pattern.test(text)
      ? undefined
      : new Problem('ERR_PATTERN', 'must match the pattern of its definition (the value is not shown, it is a secret)')
  },
  format: () => '***',
  column: () => ({ kind: 'string', length: hashLength }),
  jsonSchema: (field) =>
    textSchema(field, (field.definition as PasswordField).length ?? defaultLength, {
      annotations: { writeOnly: true },
    }),
}
