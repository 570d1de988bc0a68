import { floatValue } from '@steward/rest-core'
import type { ColumnType, Comparison, DatePart, FieldValue } from '@steward/rest-core'
import {
  datetimeReader,
  encodeText,
  isCut,
  isIdType,
  isSingle,
  isTextType,
  readDecimal,
  readFloat,
  readInteger,
  readJson,
  readList,
  timeReader,
} from '../../pool/values.js'
import type { Dialect, Present, StoredType } from '../../sql/dialect.js'
import { readSum } from '../../sql/sum.js'
import { mysqlBuilder } from '../builder.js'
import { decodeWords, encodeWords, mysqlWords } from './words.js'

/**
 * MySQL and MariaDB. Values go as texts; rows come from the binary protocol with all large numbers, decimals, dates and
 * times as texts.
 *
 * Texts compare in the collation of their column; `sync` makes columns with utf8mb4_bin (code points).
 */
export const mysqlDialect: Dialect = {
  builder: mysqlBuilder,
  writes: 'reread',
  // A page with texts would go through a temporary file; without it, joins are made for the rows of the page only, too.
  pageBeforeJoin: false,
  limitInText: false,
  noLimit: '18446744073709551615',
  largestId: 2n ** 64n - 1n,
  maxValues: 65_535,
  // MariaDB has no "of".
  lock: (query) => query.forUpdate(),
  locksJoined: true,
  schemas: false,
  falseLiteral: '0',
  trueLiteral: '1',
  loose: {
    value: (column) => `(${column} <> 0)`,
    isTrue: (column) => `${column} <> 0`,
    isFalse: (column) => `${column} = 0`,
  },

  words: mysqlWords,
  encode,
  bind: ({ kind }) => (kind === 'bytes' ? 'unhex(?)' : '?'),
  read(column, type) {
    if (type.kind !== 'bytes') return column
    return type.whole ? `hex(${column})` : `octet_length(${column})`
  },
  decode(type) {
    switch (type.kind) {
      case 'id':
      case 'reference':
        return String
      case 'integer':
        return readInteger
      case 'decimal':
        return decimalReader(type)
      case 'boolean':
        return readBoolean
      case 'date':
        return (value) => orEmpty(value as string)
      case 'datetime': {
        const read = datetimeReader(type)
        return (value) => orEmpty(read(value) as string)
      }
      case 'time':
        return timeReader(type)
      case 'list':
        return readList
      case 'json':
        return readJson
      case 'words':
        return (value) => decodeWords(value as string)
      default:
        return undefined
    }
  },

  isEmpty(column, type) {
    if (mayBeBlank(type)) return `(${column} is null or ${column} = '')`
    return mayBeNoDay(type) ? `(${column} is null or ${column} = 0)` : `${column} is null`
  },
  isFilled(column, type) {
    if (mayBeBlank(type)) return `${column} <> ''`
    return mayBeNoDay(type) ? `${column} <> 0` : `${column} is not null`
  },
  compare(column, operator, type) {
    const isOrder = operator !== '=' && operator !== '<>'
    if (isCut(type) && type.kind === 'datetime' && isOrder) return compareWhole(column, operator)
    return `${isOrder ? sortable(column, type) : shown(column, type)} ${operator} ${mark(type)}`
  },
  in: (column, count, type) => `${shown(column, type)} in (${Array(count).fill(mark(type)).join(', ')})`,
  like(column, type) {
    const [text, pattern] = type.facts?.plainLike ? [column, '?'] : [`lower(${wireText(column, type)})`, 'lower(?)']
    return `${text} like ${pattern} escape '\\\\'`
  },
  contains: (column) => `instr(${column}, ?) > 0`,
  order: (column, descending, type) => `${sortable(column, type)}${descending ? ' desc' : ''}`,
  group: (column, type) => (isCut(type) ? { group: shown(column, type) } : undefined),

  datePart(column, part) {
    const group = partOf(column, part)
    return { group, read: group, decode: (value) => readPart(value, part) }
  },
  sum: (column) => ({ read: `sum(${column})`, decode: readSum }),
}

function encode(value: FieldValue, type: ColumnType): unknown {
  // Booleans go as numbers: a bit column would take the text '1' for eight bits.
  if (type.kind === 'boolean') return value
  return type.kind === 'words' ? encodeWords(value as string) : encodeText(value, type)
}

/** Numbers, because they group faster than texts; days as dates. */
function partOf(column: string, part: DatePart): string {
  switch (part) {
    case 'year':
      return `year(${column})`
    case 'quarter':
      return `year(${column}) * 10 + quarter(${column})`
    case 'month':
      return `extract(year_month from ${column})`
    case 'day':
      return `date(${column})`
  }
}

function readPart(value: Present, part: DatePart): FieldValue {
  if (part === 'day') return orEmpty(value as string)
  const digits = String(value)
  // Year 0 is a day that is none.
  if (part === 'year') return digits === '0' ? '' : digits.padStart(4, '0')
  const rest = part === 'quarter' ? 1 : 2
  const year = digits.slice(0, -rest).padStart(4, '0')
  return year === '0000' ? '' : `${year}-${part === 'quarter' ? 'Q' : ''}${digits.slice(-rest)}`
}

/** A placeholder. Without the casts, numbers would be compared with texts, and that is done by doubles. */
function mark(type: StoredType): string {
  // With or without a sign.
  if (isIdType(type) && type.values === 'integer') return 'cast(? as decimal(20, 0))'
  if (type.kind === 'integer') return type.precision > 18 ? 'cast(? as decimal(20, 0))' : 'cast(? as signed)'
  if (isSingle(type)) return 'cast(? as float)'
  if (type.kind !== 'decimal') return '?'
  if (type.storage === 'double') return 'cast(? as double)'
  // As many digits after the point as leave room for those before it.
  return `cast(? as decimal(65, ${Math.min(30, 65 - (type.precision - type.scale))}))`
}

function mayBeBlank(type: StoredType): boolean {
  return isTextType(type) && !type.facts?.neverBlank
}

/** Compares whole seconds so that an index serves. */
function compareWhole(column: string, operator: Comparison): string {
  if (operator === '<=') return `${column} < date_add(?, interval 1 second)`
  return operator === '>' ? `${column} >= date_add(?, interval 1 second)` : `${column} ${operator} ?`
}

/** Values of lists sort by their place in the list, but compare by their text. */
function sortable(column: string, type: StoredType): string {
  return type.facts?.listed ? `concat(${column})` : shown(column, type)
}

/** Existing columns may hold `0000-00-00`. */
function mayBeNoDay(type: StoredType): boolean {
  return (type.kind === 'date' || type.kind === 'datetime') && type.extended === true
}

/** What a column is compared by: what is shown of it. */
function shown(column: string, type: StoredType): string {
  if (!isCut(type)) return column
  return type.kind === 'time'
    ? `sec_to_time(truncate(time_to_sec(${column}), 0))`
    : `cast(left(cast(${column} as char), 19) as datetime)`
}

/** A float comes as a double: 1.1 as 1.100000023841858. */
function decimalReader(type: Extract<StoredType, { kind: 'decimal' }>): (value: Present) => FieldValue {
  const { storage, extended = false, facts } = type
  if (storage === 'double' || storage === 'single') return readFloat(storage, extended)
  // Without facts a double that is a float as well is taken for one.
  const isFloat = facts ? isSingle(type) : true
  return (value) =>
    readDecimal(
      isFloat && typeof value === 'number' && Math.fround(value) === value ? floatValue(value, 'single', false) : value,
    )
}

function wireText(column: string, type: StoredType): string {
  if (isTextType(type) || (isIdType(type) && type.values === 'string')) return column
  if (type.kind !== 'datetime' && type.kind !== 'time') return `cast(${column} as char)`
  const text = `cast(${column} as char)`
  // As it is shown, without zeros at the end of the fraction.
  if (type.precision)
    return `trim(trailing '.' from trim(trailing '0' from concat(${text}, if(${text} like '%.%', '', '.'))))`
  return type.kind === 'time' && type.extended ? text : `left(${text}, ${type.kind === 'datetime' ? 19 : 8})`
}

/** tinyint, or bit(1), which comes as bytes. */
function readBoolean(value: Present): FieldValue {
  return Buffer.isBuffer(value) ? value.some((byte) => byte !== 0) : Number(value) !== 0
}

/** MySQL lets existing columns hold days that are none. */
function orEmpty(date: string): FieldValue {
  return date.startsWith('0000-00-00') ? '' : date
}
