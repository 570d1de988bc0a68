/**
 * A value as it is stored, answered and compared; the same form everywhere, so that nothing is converted twice.
 * - text-like, enum, reference, document, date, datetime, time, geocoords: string, empty `""`
 * - integer, decimal: number, or string where a double would lose digits; empty `null`
 * - boolean: `true` or `false`, never empty
 * - multi-enum: array of codes, empty `[]`
 * - object: any JSON value, empty `null`
 *
 * Source: docs/spec/wire-decisions.md, "REST: records".
 */
export type FieldValue = string | number | boolean | null | readonly string[] | JsonValue

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue }
