import type { SchemaConnection } from '../../schema/connection.js'
import type { Catalogue } from '../../schema/dialect.js'
import { flag } from '../../schema/rows.js'
import type { ColumnInfo, TableInfo } from '../../schema/table-info.js'
import { quote } from '../quote.js'

/** Rows that are looked at; the same at any size of the table. */
const sample = 1_000

/**
 * `tinyint(1)` is how MySQL spells a boolean, and a small number: it is one where it holds, or has as its default, another
 * value than 0, 1 and -1 (true of Access and BASIC).
 */
export async function refineBooleans(connection: SchemaConnection, catalogue: Catalogue): Promise<Catalogue> {
  const tables: TableInfo[] = []
  for (const table of catalogue.tables) tables.push(await refined(connection, table))
  return { ...catalogue, tables }
}

async function refined(connection: SchemaConnection, table: TableInfo): Promise<TableInfo> {
  const booleans = table.columns.filter(isTinyint)
  if (booleans.length === 0 || table.unreadable !== undefined) return table
  const names = booleans.map(({ name }) => quote(name))
  const others = names.map((name, at) => `max(${name} not in (0, 1, -1)) as c${at}`)
  let row
  try {
    ;[row = {}] = await connection.rows(
      `select ${others.join(', ')} from (select ${names.join(', ')} from ${quote(table.name)} limit ${sample}) s`,
    )
  } catch (error) {
    // A view whose tables are gone, or one that the user may not read: it is reported where its rows are looked for.
    if (table.kind === 'table') throw error
    return table
  }
  const numbers = new Set(booleans.filter((column, at) => flag(row, `c${at}`) || hasOtherDefault(column)))
  const columns = table.columns.map((column) => (numbers.has(column) ? { ...column, type: numberOf(column) } : column))
  return { ...table, columns }
}

function isTinyint({ type, declaration }: ColumnInfo): boolean {
  return type.kind === 'boolean' && declaration.toLowerCase().startsWith('tinyint')
}

function hasOtherDefault({ default: initial }: ColumnInfo): boolean {
  return initial !== undefined && /^-?\d+$/.test(initial) && ![0, 1, -1].includes(Number(initial))
}

function numberOf({ declaration }: ColumnInfo): ColumnInfo['type'] {
  const digits = 2
  return declaration.toLowerCase().includes('unsigned')
    ? { kind: 'integer', digits, unsigned: true }
    : { kind: 'integer', digits }
}
