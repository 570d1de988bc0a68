import type { ColumnType } from '@steward/rest-core'
import type { TypeRules } from '../../schema/dialect.js'
import { isWhole, tooLongForIndex } from '../../schema/families.js'
import type { ColumnFamily } from '../../schema/table-info.js'
import { wordsTableName } from '../../words-table/words-table.js'
import { longestShort } from '../long.js'

const bytesPerCharacter = 4

/** The limit for an index in blocks of 8 KiB. */
const mostIndexBytes = 6_398

/** Most bytes of a varchar2, unless the database was made for longer ones. */
const mostBytes = 4_000

/** Digits of a whole number that always fits into 64 bits, and of those that row ids have. */
const integerDigits = 18
const idDigits = 19

export const oracleTypes: TypeRules = {
  column: columnOf,
  serves,
  linkable: ({ type: from }, { type: to }) => isWhole(from) === isWhole(to) && (isWhole(from) || from.kind === to.kind),
  uniqueLimit,
  isIndexable: (family) => !isLong(family),
  wordTable: wordsTableName,
  wordLimit: ({ primaryKey }) => (primaryKey.length > 0 ? undefined : 'it has no primary key'),
  schemasInNames: true,
  sizesBind: true,
  longestName: 128,
  foreignKeysNeedIndexes: false,
  indexDependsOnType: true,
}

function columnOf(type: ColumnType): { declaration: string; family: ColumnFamily } {
  switch (type.kind) {
    case 'id':
    case 'reference':
      return type.values === 'integer' ? numberColumn(idDigits, 0) : textColumn(255)
    case 'string':
      return type.length > longestShort ? longColumn : textColumn(type.length)
    case 'text':
    case 'list':
    case 'json':
    case 'words':
      return longColumn
    case 'bytes':
      return { declaration: 'blob', family: { kind: 'binary' } }
    case 'integer':
      // `number(1)` is a boolean.
      return numberColumn(Math.max(type.precision, 2), 0)
    case 'decimal':
      return numberColumn(Math.max(type.precision, 2), type.scale)
    case 'boolean':
      return { declaration: 'number(1)', family: { kind: 'boolean' } }
    case 'date':
      return { declaration: 'date', family: { kind: 'date' } }
    case 'datetime':
      return { declaration: 'timestamp(0)', family: { kind: 'datetime' } }
    case 'time':
      return { declaration: 'interval day(1) to second(0)', family: { kind: 'time' } }
  }
}

const longColumn = { declaration: 'clob', family: { kind: 'string', length: undefined } } as const

function textColumn(length: number): { declaration: string; family: ColumnFamily } {
  return { declaration: `varchar2(${length} char)`, family: { kind: 'string', length } }
}

function numberColumn(precision: number, scale: number): { declaration: string; family: ColumnFamily } {
  const declaration = scale === 0 ? `number(${precision})` : `number(${precision},${scale})`
  return { declaration, family: numberFamily(precision, scale) }
}

function numberFamily(precision: number, scale: number): ColumnFamily {
  if (scale !== 0 || precision > idDigits) return { kind: 'decimal', precision, scale }
  if (precision === 1) return { kind: 'boolean' }
  return { kind: 'integer', digits: Math.min(precision, integerDigits), exact: true }
}

/** A column as `user_tab_cols` describes it. */
export interface CatalogueType {
  /** Such as `VARCHAR2`, `TIMESTAMP(6)`. */
  readonly name: string
  readonly characters: number | undefined
  readonly precision: number | undefined
  readonly scale: number | undefined
}

export function familyOf({ name, characters, precision, scale }: CatalogueType): ColumnFamily {
  if (/^TIMESTAMP(\(\d\))?( WITH LOCAL TIME ZONE)?$/.test(name)) return { kind: 'datetime' }
  if (name.startsWith('INTERVAL DAY')) return { kind: 'time' }
  switch (name) {
    case 'VARCHAR2':
    case 'NVARCHAR2':
    case 'CHAR':
    case 'NCHAR':
      return { kind: 'string', length: characters }
    case 'CLOB':
    case 'NCLOB':
      return { kind: 'string', length: undefined }
    case 'NUMBER':
      // `integer` is a number without a precision and with the scale 0.
      if (precision === undefined)
        return scale === 0 ? { kind: 'decimal', precision: 38, scale: 0 } : { kind: 'decimal', precision, scale }
      return numberFamily(precision, scale ?? 0)
    case 'FLOAT':
    case 'BINARY_FLOAT':
    case 'BINARY_DOUBLE':
      return { kind: 'float' }
    // Dates and moments both: their content tells them apart.
    case 'DATE':
      return { kind: 'date' }
    case 'BOOLEAN':
      return { kind: 'boolean' }
    case 'JSON':
      return { kind: 'json' }
    case 'BLOB':
      return { kind: 'binary' }
    default:
      return { kind: 'other' }
  }
}

/** The type as it is written in a statement. */
export function declarationOf({ name, characters, precision, scale }: CatalogueType): string {
  if (/CHAR/.test(name)) return `${name.toLowerCase()}(${characters ?? 1}${name.startsWith('N') ? '' : ' char'})`
  if (name !== 'NUMBER') return name.toLowerCase()
  if (precision === undefined) return scale === 0 ? 'integer' : 'number'
  return scale === undefined || scale === 0 ? `number(${precision})` : `number(${precision},${scale})`
}

function serves(type: ColumnType, actual: ColumnFamily): boolean {
  switch (type.kind) {
    case 'id':
    case 'reference':
      return type.values === 'integer' ? isWhole(actual) : actual.kind === 'string'
    case 'string':
    case 'text':
      return actual.kind === 'string'
    case 'json':
      return ['json', 'string'].includes(actual.kind)
    case 'integer':
    case 'boolean':
      return isWhole(actual) || actual.kind === 'boolean'
    case 'decimal':
      return ['decimal', 'float', 'integer', 'boolean'].includes(actual.kind)
    case 'date':
    case 'datetime':
      return ['date', 'datetime'].includes(actual.kind)
    default:
      return false
  }
}

export function isLong(family: ColumnFamily): boolean {
  return family.kind === 'json' || (family.kind === 'string' && family.length === undefined)
}

function uniqueLimit(columns: readonly ColumnFamily[]): string | undefined {
  const bytesOf = (family: ColumnFamily): number => {
    if (family.kind !== 'string') return 22
    return family.length === undefined ? Infinity : Math.min(family.length * bytesPerCharacter, mostBytes)
  }
  const bytes = columns.reduce((sum, family) => sum + bytesOf(family), 0)
  return tooLongForIndex(bytes, mostIndexBytes)
}
