import { decimalValue, floatValue, integerValue, jsonText, readJsonText } from '@steward/rest-core'
import type { ColumnType, Comparison, DatePart, FieldValue } from '@steward/rest-core'
import { StoreError } from '@steward/rest-core/errors'
import type { Dialect, Present, StoredType } from '../../sql/dialect.js'
import { readSum } from '../../sql/sum.js'
import { readTextOrBytes } from '../../sql/text-or-bytes.js'
import { sqliteBuilder } from '../builder.js'
import { decodeDecimal, encodeDecimal } from './decimal.js'
import { decimalSumName } from './decimal-text.js'
import { stopCheckName } from './stop-check.js'
import { sqliteWords } from './words.js'

/** Digits that the driver's numbers keep. */
export const exactDigits = 15

/** Other programs keep words in columns of booleans. An index knows them in these spellings. */
const falseTexts = ['', '0', ...['f', 'false', 'n', 'no', 'off'].flatMap(spellings)]
const falseList = falseTexts.map((text) => `'${text}'`).join(', ')

/**
 * `+?` instead of `?`: this build of SQLite has STAT4, so a bare parameter next to an indexed column may choose the plan, and
 * the statement is compiled again for each new value. It costs more than a read. Ranges stay bare: there the value should choose.
 */
export const sqliteDialect: Dialect = {
  builder: sqliteBuilder,
  writes: 'returning',
  pageBeforeJoin: 'ids',
  limitInText: false,
  noLimit: -1,
  maxValues: 32_766,
  schemas: false,
  falseLiteral: '0',
  trueLiteral: '1',
  loose: {
    value: (column) => `(${column} <> 0 and ${column} not in (${falseList}))`,
    isTrue: (column) => `((${column} > 0 or ${column} < 0) and ${column} not in (${falseList}))`,
    isFalse: (column) => `${column} in (0, ${falseList})`,
  },

  words: sqliteWords,
  encode,
  bind: ({ kind }) => (kind === 'bytes' ? 'unhex(?)' : '?'),
  read(column, type) {
    // "hex" gives an empty text for NULL.
    if (type.kind === 'bytes')
      return type.whole ? `iif(${column} is null, null, hex(${column}))` : `octet_length(${column})`
    if (isAnyText(type)) return shown(column, type)
    if (isFloat(type)) return `iif(typeof(${column}) = 'integer', cast(${column} as text), ${column})`
    return isWide(type) ? `cast(${column} as text)` : column
  },
  decode,

  isEmpty: (column, type) =>
    mayBeBlank(type) ? `(${column} is null or ${shown(column, type)} = '')` : `${column} is null`,
  isFilled: (column, type) => (mayBeBlank(type) ? `${shown(column, type)} <> ''` : `${column} is not null`),
  compare: (column, operator, type) =>
    `${shown(column, type, operator)} ${operator} ${operator === '=' || operator === '<>' ? '+?' : '?'}`,
  in: (column, count, type) => `${shown(column, type, '=')} in (${Array(count).fill('+?').join(', ')})`,
  // An escape that nothing needs makes each comparison dearer.
  like(column, type, { escaped, anchored }) {
    const text = isNumber(type) ? `cast(${column} as text)` : column
    // Only with a bare parameter, which is looked at when the statement is planned, an index of "nocase" is used.
    const condition = `${text} like ${anchored ? '?' : '+?'}${escaped ? " escape '\\'" : ''}`
    // Each comparison of a long text may take seconds.
    return isLong(type) ? `(${stopCheckName}() and ${condition})` : condition
  },
  contains: (column) => `instr(${column}, +?) > 0`,
  order: (column, descending, type) => `${shown(column, type)}${descending ? ' desc' : ''}`,
  group: (column, type) => (isAnyText(type) ? { group: shown(column, type) } : undefined),

  datePart(column, part) {
    const text = partOf(column, part)
    return { group: text, read: text, decode: String }
  },
  sum(column, type, wide) {
    if (type.kind === 'decimal' && type.precision > exactDigits)
      return { read: `${decimalSumName}(${column})`, decode: readSum }
    if (isFloat(type))
      return { read: `iif(count(${column}) = 0, null, cast(total(${column}) as text))`, decode: readSum }
    const scale = type.kind === 'decimal' ? type.scale : 0
    // Sums of doubles are not exact, those of integers are: 15 digits survive the multiplication.
    const units = scale === 0 ? column : `cast(round(${column} * 1e${scale}) as integer)`
    if (!wide)
      return {
        read: `cast(sum(${units}) as text)`,
        decode: (value) => readSum(scale === 0 ? value : `${String(value)}e-${scale}`),
      }
    return {
      read: `sum(${units} >> 32) || ' ' || sum(${units} & 4294967295)`,
      decode(value) {
        const [high = 0n, low = 0n] = String(value).split(' ').map(BigInt)
        return readSum(`${(high << 32n) + low}e-${scale}`)
      },
    }
  },
}

/** Dates are texts in the form in which they are answered. */
function partOf(column: string, part: DatePart): string {
  switch (part) {
    case 'year':
      return `substr(${column}, 1, 4)`
    case 'quarter':
      return `substr(${column}, 1, 4) || '-Q' || ((substr(${column}, 6, 2) + 2) / 3)`
    case 'month':
      return `substr(${column}, 1, 7)`
    case 'day':
      return `substr(${column}, 1, 10)`
  }
}

function encode(value: FieldValue, type: ColumnType): unknown {
  switch (type.kind) {
    case 'id':
      return type.values === 'integer' ? encodeInteger(value as string) : value
    case 'reference':
      // The driver binds numbers as doubles, and a column that was declared without a type would keep `1.0`.
      return type.values === 'integer' ? BigInt(value as string) : value
    case 'integer':
      return typeof value === 'string' ? encodeInteger(value) : value
    case 'decimal':
      if (isFloat(type)) return encodeFloat(value as number | string)
      if (type.precision <= exactDigits) return Number(value)
      return encodeLongDecimal(value as number | string)
    case 'boolean':
      return value ? 1 : 0
    case 'list':
      return `;${(value as readonly string[]).join(';')};`
    case 'json':
      return jsonText(value)
    default:
      return value
  }
}

function decode(type: ColumnType): ((value: Present) => FieldValue) | undefined {
  switch (type.kind) {
    case 'integer':
      return isWide(type) ? (value) => integerValue(String(value)) : undefined
    case 'decimal':
      if (isFloat(type)) return decodeFloat
      return type.precision > exactDigits
        ? (value) => decimalValue(decodeDecimal(String(value)) ?? String(value))
        : undefined
    case 'boolean':
      return (value) => (typeof value === 'string' ? !falseTexts.includes(value) : value !== 0)
    case 'list':
      return (value) => String(value).split(';').filter(Boolean)
    case 'json':
      return decodeJson
    case 'string':
    case 'text':
      return readTextOrBytes
    default:
      return undefined
  }
}

function spellings(word: string): string[] {
  const capital = `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`
  return [...new Set([word, capital, word.toUpperCase()])]
}

/** Integers that may be beyond 2^53 travel as text: the driver's numbers would lose digits. */
function isWide(type: ColumnType): boolean {
  if (type.kind === 'integer') return type.precision > exactDigits
  return (type.kind === 'id' || type.kind === 'reference') && type.values === 'integer'
}

/** Whether a field of texts shows a column that need not hold texts. A key of texts that look like numbers is compared as such. */
function isAnyText(type: StoredType): boolean {
  const { facts } = type
  if (type.kind === 'string' || type.kind === 'text') return facts?.affinity !== undefined
  return type.kind === 'id' && type.values === 'string' && facts?.affinity === 'none'
}

/** What a column is compared by: what is shown of it. An index of it serves where the column converts what it is compared with. */
function shown(column: string, type: StoredType, operator?: Comparison): string {
  const isEqual = operator === '=' || operator === '<>'
  return isAnyText(type) && !(isEqual && type.facts?.affinity === 'number') ? `cast(${column} as text)` : column
}

/** A column without digits of its own, which holds integers of 64 bits and doubles. */
function isFloat(type: ColumnType): boolean {
  return type.kind === 'decimal' && (type.storage === 'double' || type.storage === 'single')
}

/** An integer comes as text, a double as a number; a text that another program wrote stays one. */
function decodeFloat(value: Present): FieldValue {
  if (typeof value === 'number') return floatValue(value, 'double', false)
  return decimalValue(String(value))
}

function encodeFloat(value: number | string): unknown {
  const number = Number(value)
  if (typeof value === 'string' && /^-?\d+$/.test(value) && !Number.isSafeInteger(number)) {
    const integer = BigInt(value)
    if (integer >= -(2n ** 63n) && integer < 2n ** 63n) return integer
  }
  // SQLite would keep NULL.
  if (Number.isNaN(number)) throw new StoreError('value', 'Cannot use NaN: the database has none.')
  return number
}

/** Whether its values may be megabytes. */
export function isLong(type: ColumnType): boolean {
  return type.kind === 'text' || type.kind === 'json' || (type.kind === 'string' && type.length > 10_000)
}

function isNumber({ kind }: ColumnType): boolean {
  return kind === 'id' || kind === 'reference' || kind === 'integer'
}

/** Tables that others made may hold empty texts where Steward has NULL. */
function mayBeBlank({ kind }: ColumnType): boolean {
  return kind === 'string' || kind === 'text' || kind === 'list'
}

function encodeInteger(text: string): number | bigint {
  if (text.length <= exactDigits) return Number(text)
  const integer = BigInt(text)
  if (integer >= 2n ** 63n) throw new StoreError('value', `Cannot use ${text}: the database has integers of 64 bits.`)
  return integer
}

function decodeJson(value: Present): FieldValue {
  if (value === '') return null
  try {
    return readJsonText(String(value))
  } catch {
    return String(value)
  }
}

function encodeLongDecimal(value: number | string): string {
  const text = encodeDecimal(value)
  if (text === undefined)
    throw new StoreError('value', `Cannot use ${JSON.stringify(value)}: it is not a decimal number.`)
  return text
}
