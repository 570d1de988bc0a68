import type { FieldValue } from '../fields/field-value.js'

/**
 * A condition as plain data. It has no `not`: the parser moves negation into the leaves, so that every record either
 * matches or does not, on all databases alike. An empty value matches `null`, `<>`, `notLike`, `notIn` and `notContains`, nothing else.
 *
 * A boolean is never empty: one that is not stored, or is reached through a missing link, is `false`. No terms at all: `and` matches
 * everything, `or` nothing; no values at all: `notIn` everything, `in` nothing.
 *
 * `guarded` is an `and` of terms whose joined fields are seen through the guards of the query: what a user asks for, as
 * opposed to what rights and hooks add.
 *
 * `field` is the name of a readable field; values are parsed and never empty.
 */
export type Filter =
  | { readonly op: 'and' | 'or' | 'guarded'; readonly terms: readonly Filter[] }
  | { readonly op: Comparison; readonly field: string; readonly value: FieldValue }
  /** `%` any run, `_` one character, `\` escapes; whole value; the case of A–Z is ignored. */
  | { readonly op: 'like' | 'notLike'; readonly field: string; readonly pattern: string }
  | { readonly op: 'in' | 'notIn'; readonly field: string; readonly values: readonly FieldValue[] }
  | { readonly op: 'null' | 'notNull'; readonly field: string }
  /** A multi-enum holds the code. */
  | { readonly op: 'contains' | 'notContains'; readonly field: string; readonly value: string }

export type Comparison = '=' | '<>' | '<' | '<=' | '>' | '>='
