import { jsonText } from '@steward/rest-core'
import type { ColumnType, Comparison, FieldValue } from '@steward/rest-core'
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
import type { Dialect, StoredType } from '../../sql/dialect.js'
import { readSum } from '../../sql/sum.js'
import { postgresqlBuilder } from '../builder.js'
import { decodeWords, encodeWords, postgresqlWords } from './words.js'

/**
 * PostgreSQL. Values go as texts, and rows come as the texts that the server writes with DateStyle ISO in UTC.
 *
 * Texts are sorted, and compared by `<` and `>`, in the collation "C" (code points), which is that of the columns that
 * `sync` makes; an index of an existing column in a collation that sorts in another way does not help there.
 */
export const postgresqlDialect: Dialect = {
  builder: postgresqlBuilder,
  writes: 'cte',
  pageBeforeJoin: 'lateral',
  limitInText: true,
  noLimit: null,
  maxValues: 65_535,
  // `for update` would wait for, and hold up, every transaction that writes a reference to the row.
  lock: (query, lock) => (lock === 'change' ? query.forNoKeyUpdate('t0') : query.forUpdate('t0')),
  schemas: true,
  falseLiteral: 'false',
  trueLiteral: 'true',

  words: postgresqlWords,
  encode(value, type) {
    if (type.kind === 'json' && type.array) return arrayText(value as readonly FieldValue[])
    return type.kind === 'words' ? encodeWords(value as string) : encodeText(value, type)
  },
  bind: ({ kind }) => (kind === 'bytes' ? "decode(?, 'hex')" : '?'),
  read(column, type) {
    if (type.kind === 'bytes') return type.whole ? `encode(${column}, 'hex')` : `octet_length(${column})`
    return type.kind === 'json' && type.array ? `to_json(${column})::text` : column
  },
  decode(type) {
    switch (type.kind) {
      case 'integer':
        return type.precision <= 15 ? Number : readInteger
      case 'decimal': {
        const { storage, extended = false } = type
        return storage === 'double' || storage === 'single' ? readFloat(storage, extended) : readDecimal
      }
      case 'boolean':
        return (value) => value === 't'
      case 'datetime':
        return datetimeReader(type)
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

  // By way of text, because uuid and enum types, which existing columns may have, know no empty text.
  isEmpty: (column, type) =>
    mayBeBlank(type) ? `(${column} is null or ${asText(column, type)} = '')` : `${column} is null`,
  isFilled: (column, type) => (mayBeBlank(type) ? `${asText(column, type)} <> ''` : `${column} is not null`),
  compare(column, operator, type) {
    const isOrder = operator !== '=' && operator !== '<>'
    if (isCut(type) && type.kind === 'datetime' && isOrder) return compareWhole(column, operator)
    return `${isOrder ? byCodePoint(column, type) : shown(column, type)} ${operator} ${mark(type)}`
  },
  in: (column, count, type) => `${shown(column, type)} in (${Array(count).fill(mark(type)).join(', ')})`,
  // The escape character is `\` by default; named, it would be looked for in the pattern again for each row.
  like(column, type, { amongCheaper }) {
    // In other collations letters are folded by way of wide characters, at five times the cost. A pattern still costs more
    // than other conditions, but the planner assumes the same cost for all operators and tests `=` last. Hence a call that
    // raises the cost it assumes and takes almost no time; "now" is stable, so it still estimates with the pattern itself.
    const pattern = amongCheaper && !type.facts?.plainLike ? 'case when now() is not null then ?::text end' : '?'
    const matches = `${wireText(column, type)} collate "C" ilike ${pattern}`
    // "coalesce" keeps the planner from counting the same condition twice.
    return type.facts?.plainLike ? `(${column} ilike ? and coalesce(${matches}, false))` : matches
  },
  patternsOf: ({ facts }) => (facts?.plainLike ? 2 : 1),
  group: (column, type) => (isCut(type) || type.facts?.manyTexts ? { group: shown(column, type) } : undefined),
  contains: (column) => `strpos(${column}, ?) > 0`,
  order(column, descending, type) {
    const direction = `${byCodePoint(column, type)} ${descending ? 'desc' : 'asc'}`
    // The row id is never empty, and without "nulls" its index can give the order.
    return type.kind === 'id' || type.facts?.plainOrder
      ? direction
      : `${direction} nulls ${descending ? 'last' : 'first'}`
  },

  datePart(column, part, { kind }) {
    if (part === 'day') {
      const day = kind === 'date' ? column : `${column}::date`
      return { group: day, read: day, decode: String }
    }
    // Truncated for each row, because that is cheap, and written as text once per group.
    const group = `date_trunc('${part}', ${column}::timestamp)`
    return { group, read: `to_char(${group}, '${formats[part]}')`, decode: String }
  },
  sum: (column) => ({ read: `sum(${column})`, decode: readSum }),
}

/** An array as PostgreSQL reads it, lists within lists as dimensions. */
export function arrayText(values: readonly FieldValue[]): string {
  const items = values.map((value) => {
    if (value === null) return 'NULL'
    if (Array.isArray(value)) return arrayText(value as readonly FieldValue[])
    const text = typeof value === 'object' ? jsonText(value) : String(value)
    return `"${text.replace(/["\\]/g, '\\$&')}"`
  })
  return `{${items.join(',')}}`
}

const formats = { year: 'YYYY', quarter: 'YYYY"-Q"Q', month: 'YYYY-MM' }

/** A placeholder; a number need not fit into the column, so that a large one matches nothing instead of failing. */
function mark(type: StoredType): string {
  if (isSingle(type)) return '?::real'
  if (type.kind === 'decimal') return type.storage === 'double' ? '?::double precision' : '?::numeric'
  if (type.kind === 'integer') return type.precision > 19 ? '?::numeric' : '?::bigint'
  return isIdType(type) && type.values === 'integer' ? '?::bigint' : '?'
}

/** Compares whole seconds so that an index serves. */
function compareWhole(column: string, operator: Comparison): string {
  const next = "?::timestamp + interval '1 second'"
  if (operator === '<=') return `${column} < ${next}`
  return operator === '>' ? `${column} >= ${next}` : `${column} ${operator} ?`
}

/** What a column is compared by: what is shown of it. */
function shown(column: string, type: StoredType): string {
  if (isCut(type)) return cut(column, type)
  return type.facts?.manyTexts ? asText(column, type) : column
}

/** As it is shown; cast to text, `char(n)` would lose the blanks at its end, and `inet` would get a mask. */
function asText(column: string, { facts }: StoredType): string {
  // It would make an empty text out of NULL.
  return facts?.castDiffers ? `(case when ${column} is not null then concat(${column}) end)` : `${column}::text`
}

/** Without fractions of a second. */
function cut(column: string, { kind }: ColumnType): string {
  return kind === 'time' ? `date_trunc('second', ${column})::time` : `date_trunc('second', ${column})`
}

function mayBeBlank(type: StoredType): boolean {
  return isTextType(type) && !type.facts?.neverBlank
}

function byCodePoint(column: string, type: StoredType): string {
  if (isCut(type)) return cut(column, type)
  if (type.facts?.folds || (type.facts?.byCodePoint && !type.facts.manyTexts)) return column
  return isTextType(type) || (isIdType(type) && type.values === 'string')
    ? `${asText(column, type)} collate "C"`
    : column
}

function wireText(column: string, type: StoredType): string {
  if (type.kind !== 'datetime' && type.kind !== 'time') return asText(column, type)
  const text = `${isCut(type) ? cut(column, type) : column}::text`
  if (type.precision || type.extended)
    return type.kind === 'datetime' ? text.replace(/::text$/, '::timestamp::text') : text
  return `left(${column}::text, ${type.kind === 'datetime' ? 19 : 8})`
}
