import type { SchemaConnection, SchemaRow } from '../../schema/connection.js'
import { reasonOf, text } from '../../schema/rows.js'
import type { Catalogue } from '../../schema/dialect.js'
import type { ColumnFamily, ColumnInfo, TableInfo } from '../../schema/table-info.js'
import { quote } from '../../sql/text.js'

/** Rows that are looked at; the same at any size of the table. */
const sample = 1_000

const digit = '[0-9]'
const date = `${digit.repeat(4)}-${digit.repeat(2)}-${digit.repeat(2)}`
const time = `${digit.repeat(2)}:${digit.repeat(2)}:${digit.repeat(2)}`

/**
 * Column types by what the first rows hold: SQLite takes any value in any column, and other programs keep dates as
 * numbers, as texts in their own format, or booleans as words. Such columns are served as what they are.
 */
export async function refineByValues(connection: SchemaConnection, catalogue: Catalogue): Promise<Catalogue> {
  const tables: TableInfo[] = []
  for (const table of catalogue.tables) {
    const isRead = table.kind === 'table' || (table.kind === 'view' && table.unreadable === undefined)
    tables.push(isRead ? await refined(connection, table) : table)
  }
  return { ...catalogue, tables }
}

async function refined(connection: SchemaConnection, table: TableInfo): Promise<TableInfo> {
  if (table.columns.length === 0) return table
  const kinds = table.columns.map((column, n) => `group_concat(distinct ${kindOf(column)}) as k${n}`)
  let row: SchemaRow
  try {
    ;[row = {}] = await connection.rows(
      `select ${kinds.join(', ')} from (select * from ${quote(table.name)} limit ${sample})`,
    )
  } catch (error) {
    if (table.kind === 'table') throw error
    return { ...table, unreadable: reasonOf(error) }
  }
  return {
    ...table,
    columns: table.columns.map((column, n) => {
      const found = text(row, `k${n}`)
        .split(',')
        .filter((kind) => kind !== '')
      if (found.length === 0) return column
      const isComputed = table.kind === 'view' && column.type.kind === 'any'
      return { ...column, type: isComputed ? typeOfValues(found) : typeFor(column.type, found) }
    }),
  }
}

/**
 * SQL for what a value is: a storage class, or the shape of a text; NULL and empty texts are nothing. In a column of
 * booleans, 0, 1 and -1 (true of Access) are a kind of their own.
 */
function kindOf({ name, type }: ColumnInfo): string {
  const column = quote(name)
  const flags = type.kind === 'boolean' ? `when ${column} in (0, 1, -1) then 'flag' ` : ''
  return `case ${flags}when ${column} is null or ${column} = '' then null when typeof(${column}) <> 'text' then typeof(${column})
    when ${column} glob '${date}' then 'date' when ${column} glob '${date} ${time}' then 'datetime'
    when ${column} glob '${time}' then 'time' else 'text' end`
}

function typeFor(type: ColumnFamily, found: readonly string[]): ColumnFamily {
  const only = (...kinds: string[]): boolean => found.every((kind) => kinds.includes(kind))
  const numbers = only('integer', 'real')
  if (found.includes('blob')) return { kind: 'binary' }
  switch (type.kind) {
    case 'date':
    case 'datetime':
    case 'time':
      if (only('date') || only('datetime') || only('time')) return { kind: found[0] as 'date' | 'datetime' | 'time' }
      return numbers ? numberType(found) : { kind: 'string', length: undefined }
    case 'boolean':
      if (only('flag')) return type
      if (only('flag', 'integer')) return { kind: 'integer', digits: 18 }
      return only('flag', 'integer', 'real') ? { kind: 'float' } : { kind: 'string', length: undefined }
    case 'integer':
      if (only('integer')) return type
      return numbers ? { kind: 'float', storage: 'double' } : { kind: 'string', length: undefined }
    case 'decimal':
    case 'float':
      return numbers ? type : { kind: 'string', length: undefined }
    default:
      return type
  }
}

/** Expressions of a view have no declared type. */
function typeOfValues(found: readonly string[]): ColumnFamily {
  if (found.every((kind) => kind === 'integer' || kind === 'real')) return numberType(found)
  return typeFor(found.length === 1 && found[0] !== 'text' ? { kind: 'datetime' } : { kind: 'any' }, found)
}

function numberType(found: readonly string[]): ColumnFamily {
  return found.includes('real') ? { kind: 'float', storage: 'double' } : { kind: 'integer', digits: 18 }
}
