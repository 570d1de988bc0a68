import type { ColumnType } from '@steward/rest-core'
import type { TypeRules } from '../../schema/dialect.js'
import { isWhole } from '../../schema/families.js'
import type { ColumnFamily } from '../../schema/table-info.js'

/** Texts are compared by code point, whatever the collation of the database. */
const byCodePoint = 'collate "C"'

/** A longer value may not fit into a B-tree page (2,704 bytes), and the row could not be stored. */
const longestInBtree = 600

export const postgresqlTypes: TypeRules = {
  column: columnOf,
  serves,
  linkable: ({ type: from }, { type: to }) => from.kind === to.kind,
  uniqueLimit: () => undefined,
  wordLimit: () => undefined,
  schemasInNames: true,
  sizesBind: true,
  longestName: 63,
  foreignKeysNeedIndexes: false,
  indexDependsOnType: true,
}

function columnOf(type: ColumnType): { declaration: string; family: ColumnFamily } {
  const declaration = declarationOf(type)
  return { declaration, family: familyOf(declaration.replace(` ${byCodePoint}`, '')) }
}

function declarationOf(type: ColumnType): string {
  switch (type.kind) {
    case 'id':
    case 'reference':
      return type.values === 'integer' ? 'bigint' : `character varying(255) ${byCodePoint}`
    case 'string':
      return `character varying(${type.length}) ${byCodePoint}`
    case 'text':
    case 'list':
    case 'json':
      return `text ${byCodePoint}`
    case 'words':
      return 'tsvector'
    case 'bytes':
      return 'bytea'
    case 'integer':
      if (type.precision > 19) return 'numeric(20,0)'
      return type.precision <= 9 ? 'integer' : 'bigint'
    case 'decimal':
      if (type.storage) return { double: 'double precision', single: 'real', unlimited: 'numeric' }[type.storage]
      return `numeric(${type.precision},${type.scale})`
    case 'datetime':
      return `timestamp(${Math.min(type.precision ?? 0, 6)}) without time zone`
    case 'time':
      return `time(${Math.min(type.precision ?? 0, 6)}) without time zone`
    case 'boolean':
    case 'date':
      return type.kind
  }
}

/** Types whose values compare, and are read and written as texts. */
const textual = new Set(
  'inet,cidr,macaddr,macaddr8,interval,money,bit,bit varying,name,"char",oid,time with time zone,int4range,int8range,numrange,daterange,tsrange,tstzrange,hstore,ltree'.split(
    ',',
  ),
)

/** Family of a type as `format_type` writes it; enums come with their values. */
export function familyOf(type: string, values: readonly string[] = []): ColumnFamily {
  if (type.endsWith('[]')) return { kind: 'array' }
  if (values.length > 0) return { kind: 'enum', values }
  const [, name = '', size = '', rest = ''] = /^([^(]*)(?:\(([\d,]+)\)(.*))?$/.exec(type) ?? []
  const [first, second] = size.split(',').map((part) => (part === '' ? undefined : Number(part)))
  switch (`${name}${rest}`) {
    case 'smallint':
      return { kind: 'integer', digits: 4 }
    case 'integer':
      return { kind: 'integer', digits: 9 }
    case 'bigint':
      return { kind: 'integer', digits: 18 }
    case 'numeric':
      return { kind: 'decimal', precision: first, scale: second }
    case 'real':
      return { kind: 'float', storage: 'single' }
    case 'double precision':
      return { kind: 'float', storage: 'double' }
    case 'character varying':
    case 'character':
    case 'bpchar':
    case 'text':
    case 'citext':
      return { kind: 'string', length: first }
    case 'timestamp without time zone':
    case 'timestamp with time zone':
      return { kind: 'datetime', fraction: first ?? 6 }
    case 'time without time zone':
      return { kind: 'time', fraction: first ?? 6 }
    case 'json':
    case 'jsonb':
      return { kind: 'json' }
    case 'boolean':
      return { kind: 'boolean' }
    case 'date':
      return { kind: 'date' }
    case 'uuid':
      return { kind: 'uuid' }
    case 'tsvector':
      return { kind: 'words' }
    case 'bytea':
      return { kind: 'binary' }
    default:
      return textual.has(name) ? { kind: 'string', length: undefined } : { kind: 'other' }
  }
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
      return (type.array ? ['array'] : ['json', 'string']).includes(actual.kind)
    case 'integer':
      return isWhole(actual)
    case 'decimal':
      return ['decimal', 'float', 'integer'].includes(actual.kind)
    default:
      return false
  }
}

/** Whether values of this family can be too long for a B-tree index. */
export function isLong(family: ColumnFamily): boolean {
  return family.kind === 'string' && (family.length ?? Infinity) > longestInBtree
}
