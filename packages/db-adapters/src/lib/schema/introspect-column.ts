import type { FieldDefinition } from '@steward/rest-core'
import type { IntrospectionRules } from './dialect.js'
import type { ColumnFamily, ColumnInfo } from './table-info.js'

type Typed = Pick<FieldDefinition, 'type'>

/** Longer texts are shown in several lines. */
const longestLine = 10_000

/** Texts without a limit that a unique index covers cannot be long in practice; a functional key takes no `text`. */
const keyLength = 4_000

/** Digits that a double keeps, whatever they are. */
const exactDigits = 15

/** Precisions of integers of 64 bits. */
const signedDigits = 19
const unsignedDigits = 20

/** Digits for floating numbers that the store reads as decimals; these take the usual amounts and coordinates. */
const floatDigits = { precision: 15, scale: 6 }

/** What columns of that type take and give. */
const uuidPattern = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}'
/** Decimals without a declared size. */
const freeDigits = { precision: 38, scale: 12 }

const smallIntegers: Readonly<Record<number, readonly [signed: number, unsigned: number]>> = {
  2: [127, 255],
  4: [32_767, 65_535],
  6: [8_388_607, 16_777_215],
  7: [8_388_607, 16_777_215],
  9: [2_147_483_647, 4_294_967_295],
}

/**
 * The field type that reads and writes what the column holds; undefined when none does.
 *
 * @param short texts without a limit become one line, because a unique index covers the column
 */
export function fieldTypeOf(
  type: ColumnFamily,
  short: boolean,
  rules: IntrospectionRules,
): (Typed & Partial<FieldDefinition>) | undefined {
  switch (type.kind) {
    case 'string':
      return textOf(type.length, short)
    case 'any':
      return textOf(undefined, short)
    case 'uuid':
      return { type: 'string', length: 36, pattern: uuidPattern }
    case 'enum':
      return type.values.some((value) => value !== '')
        ? { type: 'enum', values: type.values.filter((value) => value !== '') }
        : { type: 'string' }
    case 'integer':
      return integerOf(type)
    case 'year':
      return { type: 'integer', precision: 4, min: 1901, max: 2155 }
    case 'decimal':
      return decimalOf(type, rules)
    case 'decimalText':
      return { type: 'decimal', precision: type.precision, scale: type.scale }
    case 'float':
      return floatOf(type, rules)
    case 'json':
      return { type: 'object' }
    case 'array':
      return { type: 'object', array: true }
    case 'boolean':
      return { type: 'boolean' }
    case 'date':
      return { type: 'date', ...extendedOf('date', rules) }
    case 'datetime':
    case 'time': {
      const { kind, fraction = 0 } = type
      return { type: kind, ...(fraction > 0 && { precision: fraction }), ...extendedOf(kind, rules) }
    }
    case 'binary':
      return { type: 'document', storage: 'column' }
    case 'words':
    case 'other':
      return undefined
  }
}

function textOf(length: number | undefined, short: boolean): Typed & Partial<FieldDefinition> {
  if (length !== undefined && length <= longestLine) return { type: 'string', length: Math.max(length, 1) }
  if (short) return { type: 'string', length: keyLength }
  return length === undefined ? { type: 'text' } : { type: 'text', length }
}

/** The range says what the digits cannot: 2,147,483,648 has as many as 2,147,483,647. */
function integerOf({
  digits,
  unsigned,
  exact,
}: Extract<ColumnFamily, { kind: 'integer' }>): Typed & Partial<FieldDefinition> {
  if (exact) return { type: 'integer', precision: digits }
  const range = smallIntegers[digits]
  if (!range) return { type: 'integer', precision: unsigned ? unsignedDigits : signedDigits }
  const [min, max] = unsigned ? [0, range[1]] : [-range[0] - 1, range[0]]
  return { type: 'integer', precision: digits + 1, min, max }
}

function decimalOf(
  { precision, scale = 0 }: Extract<ColumnFamily, { kind: 'decimal' }>,
  rules: IntrospectionRules,
): Typed & Partial<FieldDefinition> {
  const { decimalDigits, unlimited } = rules
  if (unlimited && precision === undefined)
    return { type: 'decimal', storage: unlimited, ...extendedOf('number', rules) }
  if (precision === undefined) return { type: 'decimal', ...freeDigits }
  // PostgreSQL takes more digits after the point than there are in all: numeric(2,5) is 0.00099 at most.
  const digits = Math.min(Math.max(precision, scale), decimalDigits)
  return { type: 'decimal', precision: digits, scale: Math.min(scale, digits) }
}

function floatOf(
  { storage, precision, scale }: Extract<ColumnFamily, { kind: 'float' }>,
  rules: IntrospectionRules,
): Typed & Partial<FieldDefinition> {
  if (precision !== undefined && precision <= exactDigits) return { type: 'decimal', precision, scale: scale ?? 0 }
  return storage ? { type: 'decimal', storage, ...extendedOf('number', rules) } : { type: 'decimal', ...floatDigits }
}

function extendedOf(
  kind: 'number' | 'date' | 'datetime' | 'time',
  { extended }: IntrospectionRules,
): { extended?: true } {
  return extended?.has(kind) ? { extended: true } : {}
}

/** How a column identifies rows; undefined when it cannot. */
export function idValuesOf({ type }: ColumnInfo): 'integer' | 'string' | 'uuid' | undefined {
  if (type.kind === 'integer') return 'integer'
  if (type.kind === 'decimal')
    return type.precision !== undefined && type.precision <= 18 && (type.scale ?? 0) === 0 ? 'integer' : undefined
  if (type.kind === 'uuid') return 'uuid'
  return type.kind === 'string' ? 'string' : undefined
}

/** The default of a column, where it is a value rather than something to compute: `'new'::text`, `((0))`. */
export function defaultOf(column: ColumnInfo, field: Partial<FieldDefinition>): FieldDefault | undefined {
  const text = column.default?.replace(/^\(+|\)+$/g, '').replace(/::[\w\s".]+(?:\(\d+(?:,\d+)?\))?$/, '')
  if (text === undefined) return undefined
  const [, quoted] = /^[NE]?'((?:[^'\\]|'')*)'$/i.exec(text) ?? []
  const value = quoted?.replaceAll("''", "'") ?? text
  switch (field.type) {
    case 'boolean':
      return booleans[value.toLowerCase()]
    case 'integer':
    case 'decimal':
      return /^-?\d{1,15}(?:\.\d{1,6})?$/.test(value) && fits(Number(value), field) ? Number(value) : undefined
    case 'enum':
      return quoted !== undefined && (field as EnumField).values.includes(value) ? value : undefined
    case 'string':
    case 'text':
      return quoted !== undefined && value.trim() !== '' && !/^\[.*\]$/.test(value) ? value : undefined
    default:
      return undefined
  }
}

type EnumField = Extract<FieldDefinition, { type: 'enum' }>
type IntegerField = Extract<FieldDefinition, { type: 'integer' }>

export type FieldDefault = string | number | boolean

const booleans: Readonly<Record<string, boolean>> = {
  true: true,
  false: false,
  1: true,
  0: false,
  "b'1'": true,
  "b'0'": false,
}

function fits(value: number, field: Partial<FieldDefinition>): boolean {
  const { min = -Infinity, max = Infinity } = field as Partial<IntegerField>
  return value >= min && value <= max && (field.type !== 'integer' || Number.isInteger(value))
}
