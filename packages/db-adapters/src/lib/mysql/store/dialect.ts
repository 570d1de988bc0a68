import type { ColumnType, DatePart, FieldValue } from '@steward/rest-core'
import {
  encodeText,
  isIdType,
  isTextType,
  readDatetime,
  readDecimal,
  readInteger,
  readJson,
  readList,
  readTime,
} from '../../pool/values.js'
import type { Dialect, Present } from '../../sql/dialect.js'
import { readSum } from '../../sql/sum.js'
import { quote } from '../quote.js'
import { decodeWords, encodeWords, mysqlWords } from './words.js'

/**
 * MySQL and MariaDB. Values go as texts; rows come from the binary protocol with all large numbers, decimals, dates and
 * times as texts.
 *
 * Texts compare in the collation of their column; `sync` makes columns with utf8mb4_bin (code points).
 */
export const mysqlDialect: Dialect = {
  quote,
  emptyRow: '() values ()',
  writes: 'reread',
  // A page with texts would go through a temporary file; without it, joins are made for the rows of the page only, too.
  pageBeforeJoin: false,
  limitInText: false,
  noLimit: '18446744073709551615',
  maxValues: 65_535,
  // MariaDB has no "of".
  lock: { change: 'for update', delete: 'for update', joined: true },
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
        return (value) => readDecimal(typeof value === 'number' ? shortest(value) : value)
      case 'boolean':
        return readBoolean
      case 'date':
        return (value) => orEmpty(value as string)
      case 'datetime':
        return (value) => orEmpty(readDatetime(value) as string)
      case 'time':
        return readTime
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

  isEmpty: (column, type) => (isTextType(type) ? `(${column} is null or ${column} = '')` : `${column} is null`),
  isFilled: (column, type) => (isTextType(type) ? `${column} <> ''` : `${column} is not null`),
  compare: (column, operator, type) => `${column} ${operator} ${mark(type)}`,
  in: (column, count, type) => `${column} in (${Array(count).fill(mark(type)).join(', ')})`,
  like(column, type) {
    const [text, pattern] = type.facts?.plainLike ? [column, '?'] : [`lower(${wireText(column, type)})`, 'lower(?)']
    return `${text} like ${pattern} escape '\\\\'`
  },
  contains: (column) => `instr(${column}, ?) > 0`,
  order: (column, descending) => (descending ? `${column} desc` : column),

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
function mark(type: ColumnType): string {
  if (type.kind === 'integer' || (isIdType(type) && type.values === 'integer')) return 'cast(? as signed)'
  return type.kind === 'decimal' ? 'cast(? as decimal(65, 30))' : '?'
}

function wireText(column: string, type: ColumnType): string {
  if (isTextType(type) || (isIdType(type) && type.values === 'string')) return column
  if (type.kind === 'datetime') return `left(cast(${column} as char), 19)`
  return type.kind === 'time' ? `left(cast(${column} as char), 8)` : `cast(${column} as char)`
}

/** A float column comes as a double: 1.1 as 1.100000023841858. Gives the shortest number that is the same float. */
function shortest(number: number): number {
  if (Math.fround(number) !== number) return number
  for (let digits = 6; digits < 9; digits++) {
    const rounded = Number(number.toPrecision(digits))
    if (Math.fround(rounded) === number) return rounded
  }
  return number
}

/** tinyint, or bit(1), which comes as bytes. */
function readBoolean(value: Present): FieldValue {
  return Buffer.isBuffer(value) ? value.some((byte) => byte !== 0) : Number(value) !== 0
}

/** MySQL lets existing columns hold days that are none. */
function orEmpty(date: string): FieldValue {
  return date.startsWith('0000-00-00') ? '' : date
}
