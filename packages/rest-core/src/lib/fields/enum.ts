import type { FieldType } from './field-type.js'
import { checkCode, enumValues, labelOf } from './enum-values.js'
import { parseText } from './text-value.js'

/** Shortest column, so that longer codes rarely need a wider one. */
const shortestColumn = 100

/** One code of a list. Any text can be parsed, so that filters find codes that were disabled or removed. */
export const enumType: FieldType = {
  name: 'enum',
  number: 7,
  empty: '',
  like: true,
  ordered: true,
  parse: parseText,
  validate: (value, field) => checkCode(value as string, field),
  format: (value, field) => labelOf(value as string, field),
  column: (field) => ({
    kind: 'string',
    length: Math.max(shortestColumn, ...enumValues(field).map(({ code }) => code.length)),
  }),
  jsonSchema: (field) => ({
    type: 'string',
    enum: [...enumValues(field).map(({ code }) => code), ...(field.required ? [] : [''])],
  }),
}
