import type { ColumnType } from '@steward/rest-core'
import type { TypeRules } from '../../schema/dialect.js'
import { isWhole } from '../../schema/families.js'
import type { ColumnFamily, ColumnInfo } from '../../schema/table-info.js'
import { wordsTableName } from '../../words-table/words-table.js'
import { byCodePoint } from '../collation.js'
import { rulesFor } from '../references.js'

/** Most places of an `nvarchar` with a declared length; a character beyond U+FFFF takes two. */
const mostPlaces = 4_000

/** Most characters of a column in an index, which keeps 1,700 bytes of a row. */
const longestInIndex = 425

export const mssqlTypes: TypeRules = {
  column: columnOf,
  serves,
  linkable,
  // Longer keys than an index keeps are refused when they come.
  uniqueLimit: (columns) =>
    columns.some((family) => family.kind === 'string' && (family.length ?? Infinity) > mostPlaces / 2)
      ? 'an index of this database cannot hold texts of any length. Give the fields a "length" of 425 or less.'
      : undefined,
  wordTable: wordsTableName,
  wordLimit: ({ primaryKey }) => (primaryKey.length > 0 ? undefined : 'it has no primary key'),
  schemasInNames: true,
  sizesBind: true,
  isIndexable: (family) => family.kind !== 'string' || (family.length ?? Infinity) <= longestInIndex,
  enforcedRule: (reference) => (rulesFor(reference.object).isOwn(reference) ? 'refuse' : reference.onDelete),
  longestName: 128,
  foreignKeysNeedIndexes: false,
  indexDependsOnType: false,
}

function columnOf(type: ColumnType): { declaration: string; family: ColumnFamily } {
  switch (type.kind) {
    case 'id':
    case 'reference':
      return type.values === 'integer'
        ? { declaration: 'bigint', family: { kind: 'integer', digits: 18 } }
        : textOf(255)
    case 'string':
      return textOf(type.length)
    case 'text':
    case 'list':
    case 'json':
    case 'words':
      return textOf(Infinity)
    case 'bytes':
      return { declaration: 'varbinary(max)', family: { kind: 'binary' } }
    case 'integer':
      return type.precision <= 9
        ? { declaration: 'int', family: { kind: 'integer', digits: 9 } }
        : { declaration: 'bigint', family: { kind: 'integer', digits: 18 } }
    case 'decimal': {
      const { precision, scale } = type
      return { declaration: `decimal(${precision},${scale})`, family: { kind: 'decimal', precision, scale } }
    }
    case 'boolean':
      return { declaration: 'bit', family: { kind: 'boolean' } }
    case 'datetime':
      return { declaration: 'datetime2(0)', family: { kind: 'datetime' } }
    case 'time':
      return { declaration: 'time(0)', family: { kind: 'time' } }
    case 'date':
      return { declaration: 'date', family: { kind: 'date' } }
  }
}

function textOf(length: number): { declaration: string; family: ColumnFamily } {
  const places = 2 * length <= mostPlaces ? 2 * length : undefined
  return {
    declaration: `nvarchar(${places ?? 'max'}) collate ${byCodePoint}`,
    family: { kind: 'string', length: places === undefined ? undefined : length },
  }
}

const integerDigits: Readonly<Record<string, number>> = { smallint: 4, int: 9, bigint: 18 }

/**
 * Family of a type as the catalogue has it.
 *
 * @param bytes -1: no limit
 * @param own the column has the collation of those that `sync` makes, with two places for a character
 */
export function familyOf(
  name: string,
  { bytes, precision, scale, own }: { bytes: number; precision: number; scale: number; own: boolean },
): ColumnFamily {
  const digits = integerDigits[name]
  if (digits !== undefined) return { kind: 'integer', digits }
  switch (name) {
    case 'tinyint':
      return { kind: 'integer', digits: 2, unsigned: true }
    case 'decimal':
    case 'numeric':
    case 'money':
    case 'smallmoney':
      return { kind: 'decimal', precision, scale }
    case 'float':
    case 'real':
      return { kind: 'float' }
    case 'bit':
      return { kind: 'boolean' }
    case 'nvarchar':
    case 'nchar':
    case 'sysname':
      return { kind: 'string', length: bytes < 0 ? undefined : Math.floor(bytes / (own ? 4 : 2)) }
    case 'varchar':
    case 'char':
      return { kind: 'string', length: bytes < 0 ? undefined : bytes }
    case 'text':
    case 'ntext':
      return { kind: 'string', length: undefined }
    case 'datetime':
    case 'datetime2':
    case 'smalldatetime':
    case 'datetimeoffset':
      return { kind: 'datetime' }
    case 'date':
    case 'time':
    case 'json':
      return { kind: name }
    case 'uniqueidentifier':
      return { kind: 'uuid' }
    case 'binary':
    case 'varbinary':
    case 'image':
      return { kind: 'binary' }
    default:
      return { kind: 'other' }
  }
}

function serves(type: ColumnType, actual: ColumnFamily): boolean {
  switch (type.kind) {
    case 'id':
    case 'reference':
      return type.values === 'integer' ? isWhole(actual) : ['string', 'uuid'].includes(actual.kind)
    case 'string':
    case 'text':
      return ['string', 'uuid'].includes(actual.kind)
    case 'json':
      return ['json', 'string'].includes(actual.kind)
    case 'integer':
      return isWhole(actual)
    case 'boolean':
      return isWhole(actual)
    case 'decimal':
      return ['decimal', 'float', 'integer'].includes(actual.kind)
    default:
      return false
  }
}

/** Both ends of a foreign key need the same type, or texts of the same collation and length. */
function linkable(
  from: Pick<ColumnInfo, 'declaration' | 'type'>,
  to: Pick<ColumnInfo, 'declaration' | 'type'>,
): boolean {
  return from.declaration.toLowerCase() === to.declaration.toLowerCase()
}
