import type { ColumnType, FieldValue } from '@steward/rest-core'
import { encodeText, isIdType, isTextType, readDecimal, readInteger, readJson, readList } from '../../pool/values.js'
import { raw } from '../../sql/builder.js'
import type { Dialect, Present } from '../../sql/dialect.js'
import { readSum } from '../../sql/sum.js'
import { oracleBuilder } from '../builder.js'
import { isLong, longestShort } from '../long.js'
import { oracleWords } from './words.js'

/** Items of one list. */
const longestList = 1_000

/** Characters of one key of a long text, which have as many bytes as a varchar2; and by how many it is sorted and grouped. */
const longestKey = 1_000
const keys = 11

/**
 * Oracle. Values go as texts, and numbers, dates and long texts come as texts. An empty text is NULL, as an empty value is
 * for every store.
 *
 * Texts compare by code point. Long texts are CLOBs, which only functions can compare.
 *
 * @param lockSeconds how long to wait for a locked row
 */
export function createOracleDialect(lockSeconds: number): Dialect {
  return {
    builder: oracleBuilder,
    writes: 'into',
    pageBeforeJoin: true,
    limitInText: true,
    noLimit: Number.MAX_SAFE_INTEGER,
    maxValues: 65_535,
    // knex has no word for a time to wait.
    lock: (query) => raw(oracleBuilder, `?? for update wait ${lockSeconds}`, [query]),
    locksJoined: true,
    schemas: true,
    falseLiteral: '0',
    trueLiteral: '1',
    loose: {
      value: (column) => `case when ${column} <> 0 then 1 when ${column} = 0 then 0 end`,
      isTrue: (column) => `${column} <> 0`,
      isFalse: (column) => `${column} = 0`,
    },

    words: oracleWords,
    encode,
    encodeBytes: (digits) => Buffer.from(digits, 'hex'),
    bind: mark,
    read,
    decode(type) {
      switch (type.kind) {
        case 'id':
        case 'reference':
          return String
        case 'integer':
          return type.precision <= 15 ? Number : readInteger
        case 'decimal':
          return (value) => readDecimal(withZero(value))
        case 'boolean':
          return (value) => Number(value) !== 0
        case 'list':
          return readList
        case 'json':
          return readJson
        default:
          return undefined
      }
    },

    isLong: (type) => isLong(type) || type.kind === 'bytes',
    isEmpty: (column, type) =>
      isLong(type) ? `(${column} is null or dbms_lob.getlength(${column}) = 0)` : `${column} is null`,
    isFilled: (column, type) => (isLong(type) ? `dbms_lob.getlength(${column}) > 0` : `${column} is not null`),
    compare: (column, operator, type) =>
      isLong(type) ? `dbms_lob.compare(${column}, to_clob(?)) ${operator} 0` : `${column} ${operator} ${mark(type)}`,
    in(column, count, type) {
      if (isLong(type))
        return `(${Array(count)
          .fill(this.compare(column, '=', type))
          .join(' or ')})`
      const lists: string[] = []
      for (let left = count; left > 0; left -= longestList) {
        const marks = Array(Math.min(left, longestList)).fill(mark(type))
        lists.push(`${column} in (${marks.join(', ')})`)
      }
      return lists.length === 1 ? (lists[0] as string) : `(${lists.join(' or ')})`
    },
    // The pattern of an empty text is NULL, and would make the opposite of the condition unknown.
    like: (column, type, { escaped }) =>
      `lower(${wireText(column, type)}) like nvl(lower(?), chr(0))${escaped ? " escape '\\'" : ''}`,
    contains: (column) => `instr(${column}, ?) > 0`,
    group(column, type) {
      if (!isLong(type)) return undefined
      const parts = keysOf(column, type)
      return { group: parts.join(', '), read: parts.map((part) => `to_clob(${part})`).join(' || ') }
    },
    order(column, descending, type) {
      const direction = descending ? 'desc' : 'asc'
      // The row id is never empty, and without "nulls" its index can give the order.
      if (type.kind === 'id') return `${column} ${direction}`
      return keysOf(column, type)
        .map((part) => `${part} ${direction} nulls ${descending ? 'last' : 'first'}`)
        .join(', ')
    },

    datePart(column, part) {
      const text = `to_char(${column}, '${formats[part]}')`
      return { group: text, read: text, decode: String }
    },
    sum: (column) => ({ read: `sum(${column})`, decode: (value) => readSum(withZero(value)) }),
  }
}

const formats = { year: 'YYYY', quarter: 'YYYY"-Q"Q', month: 'YYYY-MM', day: 'YYYY-MM-DD' }
const datetimeFormat = 'YYYY-MM-DD HH24:MI:SS'

function encode(value: FieldValue, type: ColumnType): unknown {
  if (type.kind === 'boolean') return value ? 1 : 0
  const text = encodeText(value, type)
  if (type.kind === 'time') return `0 ${text}`
  // No column of this type is as long, so that what follows makes no difference; and the text need not go as a CLOB.
  return type.kind === 'string' && !isLong(type) ? text.slice(0, longestShort * 2 + 1) : text
}

function read(column: string, type: ColumnType): string {
  const { kind } = type
  if (kind === 'bytes') return type.whole ? column : `dbms_lob.getlength(${column})`
  if (kind === 'date') return `to_char(${column}, '${formats.day}')`
  if (kind === 'datetime') return `to_char(${column}, '${datetimeFormat}')`
  return kind === 'time' ? `to_char(timestamp '2000-01-01 00:00:00' + ${column}, 'HH24:MI:SS')` : column
}

/** A placeholder, as its column is typed: dates are compared as dates, which the index of a date or timestamp serves. */
function mark(type: ColumnType): string {
  switch (type.kind) {
    case 'integer':
    case 'decimal':
      return 'to_number(?)'
    case 'date':
      return `to_date(?, '${formats.day}')`
    case 'datetime':
      return `to_date(?, '${datetimeFormat}')`
    case 'time':
      return 'to_dsinterval(?)'
    default:
      return isIdType(type) && type.values === 'integer' ? 'to_number(?)' : '?'
  }
}

function wireText(column: string, type: ColumnType): string {
  if (type.kind === 'decimal') {
    // `.5` would be the text without a format.
    const whole = `${'9'.repeat(Math.max(type.precision - type.scale - 1, 0))}0`
    return `rtrim(to_char(${column}, 'FM${whole}${type.scale > 0 ? `.${'9'.repeat(type.scale)}` : ''}'), '.')`
  }
  if (isTextType(type) || (isIdType(type) && type.values === 'string')) return column
  return type.kind === 'integer' || isIdType(type) ? `to_char(${column})` : read(column, type)
}

/** What can be sorted and grouped of a column. */
function keysOf(column: string, type: ColumnType): string[] {
  if (!isLong(type)) return [column]
  return Array.from({ length: keys }, (_, key) => `dbms_lob.substr(${column}, ${longestKey}, ${key * longestKey + 1})`)
}

/** `.5` and `-.5`, as the server writes numbers as texts. */
function withZero(value: Present): string {
  const text = String(value)
  if (text.startsWith('.')) return `0${text}`
  return text.startsWith('-.') ? `-0${text.slice(1)}` : text
}
