import { describe } from './describe.js'
import { Problem, type FieldType } from './field-type.js'

const inputs = new Map<unknown, boolean>([
  [true, true],
  ['true', true],
  ['1', true],
  [1, true],
  [false, false],
  ['false', false],
  ['0', false],
  [0, false],
  ['', false],
  [null, false],
  [undefined, false],
])

/** True or false; never empty. Source: docs/spec/wire-decisions.md, "REST: records". */
export const booleanType: FieldType = {
  name: 'boolean',
  number: 8,
  empty: false,
  like: false,
  ordered: true,
  parse: (input) => inputs.get(input) ?? new Problem('ERR_TYPE', `must be true or false, not ${describe(input)}`),
  validate: () => undefined,
  format: String,
  column: () => ({ kind: 'boolean' }),
  jsonSchema: () => ({ type: 'boolean' }),
}
