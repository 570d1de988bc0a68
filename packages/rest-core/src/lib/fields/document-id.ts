import type { DocumentField } from '../definition/definition.js'
import type { FieldModel } from '../model/model.js'
import { describe, quote } from './describe.js'
import { Problem, type FieldType } from './field-type.js'
import { parseText } from './text-value.js'

const mostCharacters = 255
const urlSafe = /^[A-Za-z0-9_-][A-Za-z0-9_.~-]{0,254}$/

/** A field type whose values are ids of stored documents. Uploads (objects with content) are turned into ids by the service. */
export function documentType(name: 'document' | 'image', number: number): FieldType {
  return {
    name,
    number,
    empty: '',
    like: true,
    ordered: false,
    parse(input) {
      if (input === null || input === undefined || typeof input === 'string') return parseText(input)
      return new Problem('ERR_TYPE', `must be the id of a document, as a string, not ${describe(input)}`)
    },
    validate(value, { columnType }) {
      const id = value as string
      if (columnType.kind === 'bytes') return new Problem('ERR_TYPE', 'must be a content, not text')
      return urlSafe.test(id) ? undefined : new Problem('ERR_TYPE', `must be the id of a document, not ${quote(id)}`)
    },
    format: String,
    column: ({ definition }) =>
      (definition as DocumentField).storage === 'column'
        ? { kind: 'bytes' }
        : { kind: 'string', length: mostCharacters },
    jsonSchema: (_field: FieldModel) => ({ type: 'string' }),
  }
}
