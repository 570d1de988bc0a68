import type { FieldModel } from '../model/model.js'
import { checkCode, enumValues, labelOf } from './enum-values.js'
import { Problem, type FieldType } from './field-type.js'
import type { FieldValue } from './field-value.js'
import { parseText } from './text-value.js'

/** Codes that are given, the same ones again included. Not specified; chosen far above any list of codes. */
const mostCodes = 10_000

/** Several codes of a list, in the order of the list, each once. Texts `a;b` are taken too, for filters and files. */
export const multiEnumType: FieldType = {
  name: 'multi-enum',
  number: 14,
  empty: [],
  like: false,
  ordered: false,
  parse(input, field): FieldValue | Problem {
    const codes = new Set<string>()
    let left = mostCodes
    for (const item of Array.isArray(input) ? input : [input]) {
      const text = parseText(item)
      if (text instanceof Problem)
        return new Problem('ERR_TYPE', 'must be an array of codes, or codes as text, separated by ;')
      const given = text.split(';', left + 1)
      left -= given.length
      if (left < 0) return new Problem('ERR_LENGTH', `must have at most ${mostCodes} codes`)
      for (const code of given) if (code !== '') codes.add(code)
    }
    return inListOrder(codes, field)
  },
  validate(value, field) {
    for (const code of value as readonly string[]) {
      const problem = checkCode(code, field)
      if (problem) return problem
    }
    return undefined
  },
  format: (value, field) => (value as readonly string[]).map((code) => labelOf(code, field)).join(', '),
  column: () => ({ kind: 'list' }),
  jsonSchema: (field) => ({
    type: 'array',
    items: { type: 'string', enum: enumValues(field).map(({ code }) => code) },
    uniqueItems: true,
    ...(field.required ? { minItems: 1 } : {}),
  }),
}

function inListOrder(codes: ReadonlySet<string>, field: FieldModel): readonly string[] {
  const known = [...(field.codes?.keys() ?? [])].filter((code) => codes.has(code))
  return known.length === codes.size ? known : [...known, ...[...codes].filter((code) => !field.codes?.has(code))]
}
