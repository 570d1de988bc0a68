import type { FieldModel, ReferenceModel } from '../model/model.js'
import { describe } from './describe.js'
import { Problem, type FieldType } from './field-type.js'
import { idType } from './id.js'
import { referenceType } from './reference.js'
import { readRowId } from './row-key.js'

/** A row id that consists of several fields. It has no column to search with a pattern. */
export const keyIdType: FieldType = {
  ...idType,
  like: false,
  parse: parseKey,
  column: () => ({ kind: 'id', values: 'string' }),
  jsonSchema: () => ({ type: 'string' }),
}

/** A reference to such a row id. Some of its fields may be empty and others not, which has no place in an order. */
export const keyReferenceType: FieldType = {
  ...referenceType,
  like: false,
  ordered: false,
  parse: parseKey,
  jsonSchema: (field) => ({ type: 'string', ...(field.required ? { minLength: 1 } : {}) }),
}

/** The id in its one form, `""` when no row is meant. */
function parseKey(input: unknown, field: FieldModel): string | Problem {
  if (input === null || input === undefined || input === '') return ''
  // The object's own fields say what its ids hold; those of a reference may be wider.
  const parts = 'target' in field ? (field as ReferenceModel).target.id.parts : field.parts
  if (typeof input === 'string' && parts && readRowId(parts, input)) return input
  const names = (parts ?? []).map(({ name }) => name).join('~')
  return new Problem('ERR_TYPE', `must be a row id of the form ${names}, not ${describe(input)}`)
}
