import type { ColumnType } from '@steward/rest-core'
import type { TypeRules } from '../dialect.js'
import type { ColumnFamily } from '../table-info.js'

/** Decimals with more digits than a double holds are kept as text in a sortable form. */
const mostDigitsOfReal = 15

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
  longestName: Infinity,
  indexDependsOnType: false,
}

function declarationOf(type: ColumnType): string {
  switch (type.kind) {
    case 'id':
    case 'reference':
      return type.values === 'integer' ? 'integer' : 'varchar(255)'
    case 'string':
      return `varchar(${type.length})`
    case 'list':
      return 'text'
    case 'json':
      return 'json_text'
    case 'decimal':
      return `decimal${type.precision > mostDigitsOfReal ? '_text' : ''}(${type.precision},${type.scale})`
    default:
      return type.kind
  }
}

/** Family of a declared type, which may be anything. Source: sqlite.org/datatype3.html, "Determination Of Column Affinity". */
export function familyOf(declared: string): ColumnFamily {
  const [, name = '', first, second] = /^([^(]*?)\s*(?:\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\))?[^(]*$/.exec(declared.trim().toLowerCase()) ?? []
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
  if (/real|floa|doub/.test(name)) return { kind: 'float' }
  if (/^(decimal|numeric|money)/.test(name)) return { kind: 'decimal', precision: size, scale: size === undefined ? undefined : (scale ?? 0) }
  return { kind: 'any' }
}

/** What the storage class of a column can give and take; declared types promise nothing. */
function serves(type: ColumnType, actual: ColumnFamily): boolean {
  const { kind } = actual
  switch (type.kind) {
    case 'id':
    case 'reference':
      return (type.values === 'integer' ? ['integer', 'decimal', 'any'] : ['string', 'any']).includes(kind)
    case 'string':
    case 'text':
    case 'list':
    case 'json':
      return ['string', 'json', 'any'].includes(kind)
    case 'decimal':
      return type.precision <= mostDigitsOfReal && ['decimal', 'float', 'integer', 'any'].includes(kind)
    case 'integer':
    case 'boolean':
      return ['integer', 'boolean', 'decimal', 'float', 'any'].includes(kind)
    case 'date':
    case 'datetime':
    case 'time':
      return ['date', 'datetime', 'time', 'string', 'any'].includes(kind)
  }
}
