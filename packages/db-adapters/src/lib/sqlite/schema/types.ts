import type { ColumnType } from '@steward/rest-core'
import { exactDigits } from '../store/dialect.js'
import { wordTable } from '../store/words.js'
import type { TypeRules } from '../../schema/dialect.js'
import type { ColumnFamily, TableInfo } from '../../schema/table-info.js'

/**
 * SQLite derives the storage from words within the declared type: `decimal_text` and `json_text` store text because of
 * the word "text", and say what the text is.
 */
export const sqliteTypes: TypeRules = {
  column(type) {
    const declaration = declarationOf(type)
    return { declaration, family: familyOf(declaration) }
  },
  serves,
  linkable: () => true,
  uniqueLimit: () => undefined,
  wordTable,
  wordLimit,
  schemasInNames: false,
  sizesBind: false,
  longestName: Infinity,
  foreignKeysNeedIndexes: false,
  indexDependsOnType: false,
}

/** Rows are found by their rowid. */
function wordLimit({ columns, implicitId }: TableInfo): string | undefined {
  const [id] = columns.filter(({ autoIncrement }) => autoIncrement)
  if (!id && implicitId === undefined) return 'it has no rowid'
  const other = columns.find(({ name, autoIncrement }) => name.toLowerCase() === 'rowid' && !autoIncrement)
  return other ? `its column "${other.name}" hides the rowid` : undefined
}

function declarationOf(type: ColumnType): string {
  switch (type.kind) {
    case 'id':
    case 'reference':
      return type.values === 'integer' ? 'integer' : 'varchar(255)'
    case 'string':
      return `varchar(${type.length})`
    case 'list':
    case 'words':
      return 'text'
    case 'json':
      return 'json_text'
    case 'bytes':
      return 'blob'
    case 'decimal':
      if (type.storage === 'double' || type.storage === 'single') return 'double'
      return `decimal${type.precision > exactDigits ? '_text' : ''}(${type.precision},${type.scale})`
    default:
      return type.kind
  }
}

/** Family of a declared type, which may be anything. Source: sqlite.org/datatype3.html, "Determination Of Column Affinity". */
export function familyOf(declared: string): ColumnFamily {
  const [, words = '', first, second] =
    /^([^(]*)(?:\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\))?/.exec(declared.toLowerCase()) ?? []
  const name = words.trim()
  const size = first === undefined ? undefined : Number(first)
  const scale = second === undefined ? undefined : Number(second)
  if (name === 'decimal_text') return { kind: 'decimalText', precision: size ?? 38, scale: scale ?? 0 }
  if (name === 'json' || name === 'json_text') return { kind: 'json' }
  if (name === 'bool' || name === 'boolean' || (name === 'tinyint' && size === 1)) return { kind: 'boolean' }
  if (name === 'uuid' || name === 'guid' || name === 'uniqueidentifier') return { kind: 'string', length: 36 }
  if (name === 'date' || name === 'time') return { kind: name }
  if (name === 'datetime' || name.startsWith('timestamp')) return { kind: 'datetime' }
  if (name.includes('int')) return { kind: 'integer', digits: 18 }
  if (/char|clob|text/.test(name)) return { kind: 'string', length: size }
  if (name.includes('blob')) return { kind: 'binary' }
  if (/real|floa|doub/.test(name)) return { kind: 'float', storage: 'double' }
  if (/^(decimal|numeric|money)/.test(name))
    return { kind: 'decimal', precision: size, scale: size === undefined ? undefined : (scale ?? 0) }
  return { kind: 'any' }
}

/** Any column may hold any value, and declared types promise nothing: what the definition says is right. */
function serves(type: ColumnType, actual: ColumnFamily): boolean {
  if (type.kind === 'id' || type.kind === 'reference') {
    return (type.values === 'integer' ? ['integer', 'decimal', 'any'] : ['string', 'any']).includes(actual.kind)
  }
  if (type.kind === 'bytes') return ['binary', 'any'].includes(actual.kind)
  const isText = type.kind === 'decimal' && type.precision > exactDigits
  return actual.kind !== 'binary' && isText === (actual.kind === 'decimalText')
}
