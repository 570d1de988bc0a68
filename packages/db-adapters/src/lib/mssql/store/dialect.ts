import type { ColumnType, DatePart, FieldValue } from '@steward/rest-core'
import { StoreError } from '@steward/rest-core/errors'
import { encodeText, isIdType, isTextType, readDecimal, readInteger, readJson, readList } from '../../pool/values.js'
import type { Dialect, Present } from '../../sql/dialect.js'
import { readSum } from '../../sql/sum.js'
import { again, mssqlBuilder } from '../builder.js'
import { byCodePoint } from '../collation.js'
import { deleteRow } from './delete-row.js'
import { mssqlWords } from './words.js'

/**
 * SQL Server. Values go as texts and are cast where they are used; decimals come as texts, so that none loses digits, and
 * dates and times as Dates in UTC.
 *
 * Texts compare in a binary collation, which is that of the columns that `sync` makes; an index of an existing column in
 * another collation does not help there. `=` does not see blanks at the end, so lengths are compared too.
 */
export const mssqlDialect: Dialect = {
  builder: mssqlBuilder,
  writes: 'output',
  pageBeforeJoin: false,
  limitInText: false,
  noLimit: '9223372036854775807',
  // Two of the 2,100 are the statement and its declarations.
  maxValues: 2_098,
  // Rows that are written with a reference to it take a shared lock, which goes together with that of an update.
  lockHint: { change: ' with (updlock, rowlock)', delete: ' with (xlock, rowlock, holdlock)' },
  schemas: true,
  falseLiteral: 'cast(0 as bit)',
  trueLiteral: 'cast(1 as bit)',

  words: mssqlWords,
  encode,
  encodeBytes: (digits) => Buffer.from(digits, 'hex'),
  bind,
  read,
  decode(type) {
    switch (type.kind) {
      case 'id':
      case 'reference':
        return String
      case 'integer':
        return readInteger
      case 'decimal':
        return readDecimal
      case 'boolean':
        return (value) => value === true || Number(value) !== 0
      case 'date':
        return readDay
      case 'datetime':
        return (value) => isoText(value).slice(0, 19).replace('T', ' ')
      case 'time':
        return (value) => isoText(value).slice(11, 19)
      case 'list':
        return readList
      case 'json':
        return readJson
      default:
        return undefined
    }
  },

  isEmpty: (column, type) =>
    isTextType(type) ? `(${column} is null or datalength(${column}) = 0)` : `${column} is null`,
  isFilled: (column, type) => (isTextType(type) ? `datalength(${column}) > 0` : `${column} is not null`),
  compare(column, operator, type) {
    if (!isText(type)) return `${column} ${operator} ${mark(type)}`
    if (operator === '=') return equal(column, type)
    if (operator === '<>') return `not (${equal(column, type)})`
    return `${sortable(column, type)} ${operator} ${sortable('?', type)}`
  },
  in(column, count, type) {
    const each = (text: string, between: string): string => Array(count).fill(text).join(between)
    return isText(type) ? `(${each(equal(column, type), ' or ')})` : `${column} in (${each(mark(type), ', ')})`
  },
  like: (column, type) => `${lower(wireText(column, type))} + N'.' collate ${byCodePoint} like ${lower('?')}`,
  // Lists of one character are the only way to write it that all servers read alike; blanks at the end count by the point.
  pattern: (pattern) =>
    `${pattern.replaceAll(/\\(.)|\[/gsu, (found, escaped: string | undefined) => {
      const letter = escaped ?? found
      return '%_['.includes(letter) ? `[${letter}]` : letter
    })}.`,
  longList: {
    from: 1_000,
    in: (column, type) =>
      isText(type)
        ? `${asText(column, type)} + N'.' in (select value + N'.' collate ${byCodePoint} from openjson(?))`
        : `${column} in (select ${mark(type).replace('?', 'value')} from openjson(?))`,
  },
  contains: (column) => `charindex(? collate ${byCodePoint}, ${column} collate ${byCodePoint}) > 0`,
  order: (column, descending, type) => `${isText(type) ? sortable(column, type) : column}${descending ? ' desc' : ''}`,
  group: (column, type) => (isText(type) ? { group: `${asText(column, type)} collate ${byCodePoint}` } : undefined),
  alsoGroup: (column, type) => (isText(type) ? `datalength(${column})` : undefined),

  deleteRow,

  datePart(column, part, { kind }) {
    const [group, read] = partOf(kind === 'datetime' ? inUtc(column) : column, part, kind)
    return { group, read, decode: (value) => readPart(value, part) }
  },
  sum(column, type) {
    const total = (value: string, scale: number): string =>
      `cast(sum(cast(${value} as decimal(38, ${scale}))) as nvarchar(41))`
    if (type.kind !== 'decimal') return { read: total(column, 0), decode: readSum }
    const { precision, scale } = type
    if (precision <= 28) return { read: total(column, scale), decode: readSum }
    // Both parts of the sum have room for more rows than there can be.
    const whole = `round(${column}, 0, 1)`
    return {
      read: `${total(whole, 0)} + N' ' + ${total(`${column} - ${whole}`, scale)}`,
      decode: (value) => readSum(addParts(String(value), scale)),
    }
  },
}

/** A sum of whole numbers and one of fractions, with a blank between them. */
function addParts(parts: string, scale: number): string {
  const [whole = '', fraction = ''] = parts.split(' ')
  const [digits = '', rest = ''] = fraction.split('.')
  const sum = BigInt(whole.split('.')[0] ?? '') * 10n ** BigInt(scale) + BigInt(digits + rest.padEnd(scale, '0'))
  const text = String(sum < 0n ? -sum : sum).padStart(scale + 1, '0')
  return `${sum < 0n ? '-' : ''}${text.slice(0, text.length - scale)}${scale > 0 ? `.${text.slice(-scale)}` : ''}`
}

function isText(type: ColumnType): boolean {
  return isTextType(type) || type.kind === 'words' || (isIdType(type) && type.values === 'string')
}

/**
 * The first half is for the index, which may have another collation; the second one knows letters by their case and blanks
 * at the end, which the first one does not see.
 */
function equal(column: string, type: ColumnType): string {
  return `(${column} = ? and ${asText(column, type)} + N'.' = ${again} + N'.' collate ${byCodePoint})`
}

/** Existing columns may have the type uniqueidentifier, which has no collation. */
function asText(column: string, type: ColumnType): string {
  const length = lengthOf(type)
  return `cast(${column} as nvarchar(${length < 2_000 ? 2 * length : 'max'}))`
}

/** Most characters; each may take two places. */
function lengthOf(type: ColumnType): number {
  if (type.kind === 'string') return type.length
  return isIdType(type) ? 255 : Infinity
}

/**
 * What sorts by code point, blanks at the end included. As UTF-8, because UTF-16 puts U+E000 to U+FFFF after all that
 * lies beyond; followed by a character that is less than a blank, because texts are filled up with blanks to be compared.
 */
function sortable(text: string, type: ColumnType): string {
  const characters = lengthOf(type)
  const size = characters <= 1_000 ? 4 * characters : 'max'
  return `(cast(${asText(text, type)} ${asUtf8}${size})) + char(1))`
}

const asUtf8 = `collate ${byCodePoint}_UTF8 as varchar(`

/** The same for servers without UTF-8 (before 2019), which sort by UTF-16. */
export function withoutUtf8(statement: string): string {
  return statement.replaceAll(asUtf8, `collate ${byCodePoint} as nvarchar(`)
}

function encode(value: FieldValue, type: ColumnType): unknown {
  if (type.kind === 'boolean') return value === true ? '1' : '0'
  const text = encodeText(value, type)
  if (type.kind === 'decimal' && wholeDigits(text) > 38 - type.scale)
    throw new StoreError(
      'value',
      `Cannot use ${text}: the database has 38 digits for a number, ${type.scale} of them after the point.`,
    )
  return text
}

function wholeDigits(text: string): number {
  return /^-?0*(\d*)/.exec(text)?.[1]?.length ?? 0
}

type DecimalType = Extract<ColumnType, { kind: 'decimal' }>

/** A number that is compared with a column may have more digits than the column, before and after the point. */
function decimals({ precision, scale }: DecimalType): number {
  return Math.min(scale + 6, 38 - (precision - scale))
}

/** A placeholder; a number need not fit into the column, so that a large one matches nothing instead of failing. */
function mark(type: ColumnType): string {
  switch (type.kind) {
    case 'decimal':
      return `try_cast(? as decimal(38, ${decimals(type)}))`
    case 'integer':
      return 'cast(? as bigint)'
    default:
      return bind(type)
  }
}

function bind(type: ColumnType): string {
  switch (type.kind) {
    case 'id':
    case 'reference':
      return type.values === 'integer' ? 'cast(? as bigint)' : '?'
    case 'integer':
      return 'cast(? as bigint)'
    case 'decimal':
      return `cast(? as decimal(38, ${type.scale}))`
    case 'boolean':
      return 'cast(? as bit)'
    case 'date':
      return 'cast(? as date)'
    case 'datetime':
      return 'cast(? as datetime2(0))'
    case 'time':
      return 'cast(? as time(0))'
    case 'bytes':
      // A NULL comes as a text, which is not converted by itself.
      return 'cast(? as varbinary(max))'
    default:
      return '?'
  }
}

function read(column: string, type: ColumnType): string {
  if (type.kind === 'bytes') return type.whole ? `cast(${column} as varbinary(max))` : `datalength(${column})`
  return type.kind === 'decimal' ? `cast(cast(${column} as decimal(38, ${type.scale})) as nvarchar(41))` : column
}

function isoText(value: Present): string {
  return (value as Date).toISOString()
}

function readDay(value: Present): string {
  return isoText(value).slice(0, 10)
}

function wireText(column: string, type: ColumnType): string {
  switch (type.kind) {
    case 'date':
      return `convert(nvarchar(10), ${column}, 23)`
    case 'datetime':
      return `convert(nvarchar(19), ${inUtc(column)}, 120)`
    case 'time':
      return `convert(nvarchar(8), ${column}, 108)`
    case 'integer':
    case 'decimal':
    case 'boolean':
      return `cast(${column} as nvarchar(41))`
    default:
      return isText(type) ? asText(column, type) : `cast(${column} as nvarchar(255))`
  }
}

/** Existing columns may have an offset. */
function inUtc(column: string): string {
  return `cast(switchoffset(cast(${column} as datetimeoffset), '+00:00') as datetime2)`
}

/** Folds A–Z only, as the other databases do. */
function lower(text: string): string {
  return `translate(${text}, N'ABCDEFGHIJKLMNOPQRSTUVWXYZ', N'abcdefghijklmnopqrstuvwxyz')`
}

/** What to group by, and how to read it: numbers group faster than texts. */
function partOf(column: string, part: DatePart, kind: ColumnType['kind']): readonly [group: string, read: string] {
  switch (part) {
    case 'year':
      return [`year(${column})`, `year(${column})`]
    case 'quarter': {
      const quarter = `year(${column}) * 10 + datepart(quarter, ${column})`
      return [quarter, quarter]
    }
    case 'month': {
      const month = `year(${column}) * 100 + month(${column})`
      return [month, month]
    }
    case 'day': {
      const day = kind === 'date' ? column : `cast(${column} as date)`
      return [day, day]
    }
  }
}

function readPart(value: Present, part: DatePart): FieldValue {
  if (part === 'day') return readDay(value)
  const digits = String(value)
  if (part === 'year') return digits.padStart(4, '0')
  const rest = part === 'quarter' ? 1 : 2
  return `${digits.slice(0, -rest).padStart(4, '0')}-${part === 'quarter' ? 'Q' : ''}${digits.slice(-rest)}`
}
