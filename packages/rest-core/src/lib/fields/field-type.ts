import type { CustomTypeName, DecimalField, FieldTypeName } from '../definition/definition.js'
import type { FieldModel } from '../model/model.js'
import type { FieldValue } from './field-value.js'

/** What a database column must be able to hold. Adapters map it to their own types; empty values are NULL in every column. */
export type ColumnType =
  | { readonly kind: 'id'; readonly values: 'integer' | 'string' }
  | { readonly kind: 'reference'; readonly values: 'integer' | 'string' }
  | { readonly kind: 'string'; readonly length: number }
  | { readonly kind: 'text' }
  | { readonly kind: 'integer'; readonly precision: number }
  /** `storage`: what `precision` and `scale` do not say; they are those of averages and sums then. */
  | {
      readonly kind: 'decimal'
      readonly precision: number
      readonly scale: number
      readonly storage?: DecimalField['storage']
      readonly extended?: boolean
    }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'date'; readonly extended?: boolean }
  /** `precision`: digits of a fraction of a second. Absent: none. */
  | { readonly kind: 'datetime'; readonly precision?: number; readonly extended?: boolean }
  | { readonly kind: 'time'; readonly precision?: number; readonly extended?: boolean }
  /** Codes joined as `;a;b;`. */
  | { readonly kind: 'list' }
  /** JSON text; `array`: an array of the database. */
  | { readonly kind: 'json'; readonly array?: boolean }
  /** Read as what is shown of it, its length; with `whole` as the content itself. */
  | { readonly kind: 'bytes'; readonly whole?: boolean }
  /** The words of an indexed record, with single blanks between: a column that `searchIndex` finds rows by. */
  | { readonly kind: 'words' }

/** Why a value is refused. `text` completes `Field "x" `. */
export class Problem {
  readonly code: 'ERR_TYPE' | 'ERR_LENGTH' | 'ERR_PATTERN' | 'ERR_ENUM' | 'ERR_REFERENCE'
  readonly text: string

  constructor(code: Problem['code'], text: string) {
    this.code = code
    this.text = text
  }
}

/** One field type. What else depends on the type is listed in docs/contributing/field-type.md. */
export interface FieldType {
  readonly name: FieldTypeName
  /** Set for a type of the application, which adds rules to the built-in type of that name. */
  readonly custom?: { readonly name: CustomTypeName; readonly summary: string }
  /** Type number in metadata. Source: docs/spec/wire-decisions.md, "metadata". */
  readonly number: number
  /** The value of a field that is not filled. */
  readonly empty: FieldValue
  /** Wildcards (`like`) work on this type. */
  readonly like: boolean
  /** `<`, `>`, intervals and sorting work on this type. */
  readonly ordered: boolean
  /** Turns what a client sent (JSON value, or text of a filter or a file) into a value, without the field's own rules. */
  parse(input: unknown, field: FieldModel): FieldValue | Problem
  /** Checks the field's rules (length, range, pattern, list) on a parsed, non-empty value. */
  validate(value: FieldValue, field: FieldModel): Problem | undefined
  /** The value as text for people, e.g. in messages. */
  format(value: FieldValue, field: FieldModel): string
  column(field: FieldModel): ColumnType
  /** JSON Schema (2020-12) of the value in answers and requests. */
  jsonSchema(field: FieldModel): Record<string, unknown>
}

/** A text with something that can be seen, as a pattern with the flag `u`. */
export const visible = String.raw`[^\s\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]`

const hasVisible = new RegExp(visible, 'u')

/** Whether a text, other than a code of a list, has nothing that can be seen: it does not satisfy `required`. */
export function isBlank(value: FieldValue | undefined, { columnType, codes }: FieldModel): boolean {
  const isText = columnType.kind === 'string' || columnType.kind === 'text'
  return isText && codes === undefined && typeof value === 'string' && value !== '' && !hasVisible.test(value)
}

/** The same for a value of a field: `[]` is a value of one that holds JSON. */
export function isUnfilled(
  value: FieldValue | undefined,
  { columnType: { kind } }: Pick<FieldModel, 'columnType'>,
): boolean {
  return isEmpty(value) && !(kind === 'json' && Array.isArray(value))
}

/** Whether the value counts as not filled (`""`, `null`, `[]`). */
export function isEmpty(value: FieldValue | undefined): boolean {
  return value === '' || value === null || value === undefined || (Array.isArray(value) && value.length === 0)
}
