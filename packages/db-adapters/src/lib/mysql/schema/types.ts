import type { ColumnType } from '@steward/rest-core'
import type { TypeRules } from '../../schema/dialect.js'
import { isWhole, tooLongForIndex } from '../../schema/families.js'
import type { ColumnFamily } from '../../schema/table-info.js'

/**
 * Texts are compared by code point, whatever the collation of the database, and blanks at their end count (they do not
 * with `utf8mb4_bin`). The two servers have no such collation in common.
 */
const byCodePoint = { mysql: 'utf8mb4_0900_bin', mariadb: 'utf8mb4_nopad_bin' }

const bytesPerCharacter = 4

/** The limit for an InnoDB index with the row format DYNAMIC. */
const mostIndexBytes = 3072

/** Characters of a text that an index can hold. */
export const longestInIndex = mostIndexBytes / bytesPerCharacter

/** Most bytes of each type; `longtext` has 4 GiB, which is not a limit. */
const textTypes = { tinytext: 255, text: 65_535, mediumtext: 16_777_215, longtext: Infinity }

const rules: Omit<TypeRules, 'column'> = {
  serves,
  linkable: (from, to) => comparable(from.declaration) === comparable(to.declaration),
  uniqueLimit,
  // The others have rules of their own for short words.
  wordLimit: ({ foreignKeysSupported }) => (foreignKeysSupported ? undefined : 'its engine is not InnoDB'),
  schemasInNames: false,
  sizesBind: true,
  longestName: 64,
  foreignKeysNeedIndexes: true,
  indexDependsOnType: true,
}

export const mysqlTypes = { mysql: rulesWith(byCodePoint.mysql), mariadb: rulesWith(byCodePoint.mariadb) }

function rulesWith(collation: string): TypeRules {
  return {
    ...rules,
    column(type) {
      const name = declarationOf(type)
      const family = familyOf(name)
      return {
        declaration: family.kind === 'string' ? `${name} character set utf8mb4 collate ${collation}` : name,
        family,
      }
    },
  }
}

function declarationOf(type: ColumnType): string {
  switch (type.kind) {
    case 'id':
    case 'reference':
      return type.values === 'integer' ? 'bigint' : 'varchar(255)'
    case 'string':
      return stringType(type.length)
    case 'text':
    case 'json':
    case 'words':
      return 'longtext'
    case 'bytes':
      return 'longblob'
    case 'list':
      return 'mediumtext'
    case 'integer':
      if (type.precision > 19) return 'bigint unsigned'
      return type.precision <= 9 ? 'int' : 'bigint'
    case 'decimal':
      if (type.storage) return { double: 'double', single: 'float', unlimited: 'decimal(65,30)' }[type.storage]
      return `decimal(${type.precision},${type.scale})`
    case 'datetime':
    case 'time': {
      const precision = Math.min(type.precision ?? 0, 6)
      return precision === 0 ? type.kind : `${type.kind}(${precision})`
    }
    case 'boolean':
      return 'tinyint(1)'
    default:
      return type.kind
  }
}

function stringType(length: number): string {
  if (length <= longestInIndex) return `varchar(${length})`
  return (
    Object.entries(textTypes).find(
      ([name, bytes]) => name !== 'tinytext' && bytes >= length * bytesPerCharacter,
    )?.[0] ?? 'longtext'
  )
}

const integerDigits: Readonly<Record<string, number>> = {
  tinyint: 2,
  smallint: 4,
  mediumint: 6,
  int: 9,
  bigint: 18,
}

/**
 * Family of a type as `information_schema.columns.column_type` writes it.
 *
 * @param bytes most bytes of a character in the column's character set
 */
export function familyOf(columnType: string, bytes = bytesPerCharacter): ColumnFamily {
  const [, name = '', inner = ''] = /^(\w+)(?:\((.*)\))?/s.exec(columnType.toLowerCase()) ?? []
  if (name === 'enum') return { kind: 'enum', values: enumValues(columnType) }
  if ((name === 'tinyint' || name === 'bit') && inner === '1') return { kind: 'boolean' }
  if (name === 'year') return { kind: 'year' }
  const digits = integerDigits[name]
  if (digits !== undefined) {
    if (!columnType.includes('unsigned')) return { kind: 'integer', digits }
    return { kind: 'integer', digits: name === 'mediumint' ? digits + 1 : digits, unsigned: true }
  }
  if (name in textTypes) {
    const most = textTypes[name as keyof typeof textTypes]
    return { kind: 'string', length: most === Infinity ? undefined : Math.floor(most / bytes) }
  }
  const [first, second] = inner === '' ? [] : inner.split(',').map(Number)
  switch (name) {
    case 'varchar':
    case 'char':
      return { kind: 'string', length: first ?? 1 }
    case 'set':
      return { kind: 'string', length: inner.length }
    case 'decimal':
      return { kind: 'decimal', precision: first ?? 10, scale: second ?? 0 }
    case 'float':
    case 'double':
      return { kind: 'float', storage: name === 'float' ? 'single' : 'double', precision: first, scale: second }
    case 'timestamp':
    case 'datetime':
      return { kind: 'datetime', fraction: first ?? 0 }
    case 'time':
      return { kind: 'time', fraction: first ?? 0 }
    case 'date':
    case 'json':
    case 'uuid':
      return { kind: name }
    case 'binary':
    case 'varbinary':
    case 'tinyblob':
    case 'blob':
    case 'mediumblob':
    case 'longblob':
      return { kind: 'binary' }
    default:
      return { kind: 'other' }
  }
}

function enumValues(columnType: string): string[] {
  return [...columnType.matchAll(/'((?:[^']|'')*)'/g)].map(([, value = '']) => value.replaceAll("''", "'"))
}

function serves(type: ColumnType, actual: ColumnFamily): boolean {
  switch (type.kind) {
    case 'id':
    case 'reference':
      return type.values === 'integer' ? isWhole(actual) : ['string', 'uuid'].includes(actual.kind)
    case 'string':
    case 'text':
      return ['string', 'uuid', 'enum'].includes(actual.kind)
    case 'json':
      return ['json', 'string'].includes(actual.kind)
    case 'integer':
      return isWhole(actual) || actual.kind === 'boolean'
    case 'boolean':
      return isWhole(actual)
    case 'decimal':
      return ['decimal', 'float', 'integer', 'year'].includes(actual.kind)
    default:
      return false
  }
}

/** Both ends of a foreign key need the same integer type, or texts of the same character set and collation. */
function comparable(declaration: string): string {
  const text = declaration.toLowerCase()
  return /^(var)?char/.test(text) ? text.replace(/^\w+\(\d+\)/, 'text') : text.replace(/\(\d+\)/, '')
}

function uniqueLimit(columns: readonly ColumnFamily[]): string | undefined {
  const bytes = columns.reduce(
    (sum, family) => sum + (family.kind === 'string' ? (family.length ?? Infinity) * bytesPerCharacter : 8),
    0,
  )
  return tooLongForIndex(bytes, mostIndexBytes)
}
