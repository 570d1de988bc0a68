import { StoreError } from '@steward/rest-core/errors'
import type { ChangeOf } from '../../schema/changes.js'
import type { SchemaConnection } from '../../schema/connection.js'
import { number, text } from '../../schema/rows.js'
import { columnOfItem, splitTable, withoutForeignKey, withType } from '../../schema/table-text.js'
import { conversion } from './conversion.js'
import { convertDecimals, needsDecimalConversion } from './decimal-conversion.js'
import { foreignKey } from './statements.js'
import { quote } from '../../sql/text.js'

/** What ALTER TABLE cannot do. */
export type Rebuild = ChangeOf<'changeColumn'> | ChangeOf<'addForeignKey'> | ChangeOf<'dropForeignKey'>

/** Words that may follow the type of a column. Source: sqlite.org/lang_createtable.html. */
const afterType = new Set([
  'constraint',
  'primary',
  'not',
  'null',
  'unique',
  'check',
  'default',
  'collate',
  'references',
  'generated',
  'as',
  'autoincrement',
])

/**
 * Rebuilds a table with other column types and foreign keys, and moves its rows. Row ids, the autoincrement sequence,
 * indexes, triggers and everything else in the owner's statement are kept.
 * Source: sqlite.org/lang_altertable.html, "Making Other Kinds Of Table Schema Changes". Called in a transaction with
 * foreign keys off.
 */
export async function rebuild(connection: SchemaConnection, table: string, changes: readonly Rebuild[]): Promise<void> {
  const [found] = await connection.rows(
    `select name, sql from sqlite_master where type = 'table' and name = ? collate nocase`,
    [table],
  )
  if (!found) throw new StoreError('schema', `Table "${table}" has vanished.`)
  const name = text(found, 'name')
  const dependents = await connection.rows(
    `select sql from sqlite_master where tbl_name = ? and type in ('index', 'trigger') and sql is not null order by type, rowid`,
    [name],
  )
  const broken = await brokenLinks(connection, name)
  const copy = `stw_new_${name}`
  await connection.run(changedTable(text(found, 'sql'), copy, changes))
  await copyRows(connection, name, copy, changes)
  await keepSequence(connection, name, copy)
  await connection.run(`drop table ${quote(name)}`)
  // Otherwise the rename fails on views and triggers that use the table, which is not there at this moment.
  await connection.run('pragma legacy_alter_table = on')
  try {
    await connection.run(`alter table ${quote(copy)} rename to ${quote(name)}`)
  } finally {
    await connection.run('pragma legacy_alter_table = off')
  }
  for (const dependent of dependents) await connection.run(text(dependent, 'sql'))
  if ((await brokenLinks(connection, name)) > broken) {
    throw new StoreError('reference', `Rows of table "${name}" refer to rows that are not there.`)
  }
}

function changedTable(sql: string, copy: string, changes: readonly Rebuild[]): string {
  const { items, tail } = splitTable(sql)
  let changed = [...items]
  for (const change of changes) {
    if (change.kind === 'addForeignKey') changed.push(`\n  ${foreignKey(change)}\n`)
    if (change.kind === 'dropForeignKey')
      changed = changed.map((item) => withoutForeignKey(item, change.name)).filter((item) => item !== '')
    if (change.kind === 'changeColumn') {
      const { column, wanted } = change
      changed = changed.map((item) => (isColumn(item, column) ? withType(item, wanted.declaration, afterType) : item))
    }
  }
  return `create table ${quote(copy)} (${changed.join(',')})${tail}`
}

function isColumn(item: string, column: string): boolean {
  return columnOfItem(item)?.toLowerCase() === column.toLowerCase()
}

async function copyRows(
  connection: SchemaConnection,
  name: string,
  copy: string,
  changes: readonly Rebuild[],
): Promise<void> {
  const columns = await connection.rows('select name, hidden from pragma_table_xinfo(?)', [name])
  const [rowid] = await connection.rows(
    `select l.wr from pragma_table_list(?) l where l.schema = 'main' and l.wr = 0`,
    [name],
  )
  const names = columns.filter((column) => number(column, 'hidden') === 0).map((column) => text(column, 'name'))
  const used = new Set(columns.map((column) => text(column, 'name').toLowerCase()))
  const id = rowid && ['rowid', '_rowid_', 'oid'].find((each) => !used.has(each))
  const ends: (() => Promise<void>)[] = []
  const expressions: string[] = []
  for (const column of names) expressions.push(await expressionFor(column))
  const into = [...(id ? [id] : []), ...names.map(quote)].join(', ')
  await connection.run(
    `insert into ${quote(copy)} (${into}) select ${[...(id ? [id] : []), ...expressions].join(', ')} from ${quote(name)}`,
  )
  for (const end of ends) await end()

  async function expressionFor(column: string): Promise<string> {
    const change = changes.find(
      (each) => each.kind === 'changeColumn' && each.column.toLowerCase() === column.toLowerCase(),
    )
    if (change?.kind !== 'changeColumn') return quote(column)
    if (needsDecimalConversion(change)) {
      const { expression, end } = await convertDecimals(connection, name, change)
      ends.push(end)
      return expression
    }
    return change.widening ? quote(column) : conversion(column, change.wanted.family)
  }
}

/** The highest row id ever given; without it, ids of deleted rows would be given again. */
async function keepSequence(connection: SchemaConnection, name: string, copy: string): Promise<void> {
  const [table] = await connection.rows(`select 1 from sqlite_master where name = 'sqlite_sequence'`)
  if (!table) return
  await connection.run('delete from sqlite_sequence where name = ?', [copy])
  await connection.run('insert into sqlite_sequence (name, seq) select ?, seq from sqlite_sequence where name = ?', [
    copy,
    name,
  ])
}

async function brokenLinks(connection: SchemaConnection, name: string): Promise<number> {
  const [found] = await connection.rows('select count(*) as broken from pragma_foreign_key_check(?)', [name])
  return number(found ?? {}, 'broken') ?? 0
}
