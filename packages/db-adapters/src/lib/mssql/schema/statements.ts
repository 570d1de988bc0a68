import type { Change, ChangeOf, NewColumn } from '../../schema/changes.js'
import { hasTime } from '../../schema/sql.js'
import type { ColumnFamily } from '../../schema/table-info.js'
import { createWriter } from '../../schema/writer.js'
import { quote } from '../../sql/text.js'
import { addWordsTable } from '../../words-table/statements.js'
import { longestWord } from '../../words-table/words-table.js'
import { mssqlBuilder } from '../builder.js'
import { byCodePoint } from '../collation.js'
import { mssqlWords } from '../store/words.js'

const writer = createWriter(mssqlBuilder, { quote, integerId: 'bigint identity(1, 1) not null primary key' })

const wordsTable = {
  writer,
  words: mssqlWords,
  place: 'int',
  word: `nvarchar(${2 * longestWord}) collate ${byCodePoint}`,
}

/** SQL of one change. */
export function statementsOf(change: Change): string[] {
  switch (change.kind) {
    // By SQL: knex gives names to `sp_rename` as they are, so that one with a dot is another one.
    case 'renameTable':
      return [`exec sp_rename ${literal(quote(change.from))}, ${literal(change.table)}, N'OBJECT'`]
    case 'renameColumn':
      return [rename(change.table, change.from, change.column)]
    case 'createTable':
      return writer.create({
        ...change,
        columns: change.columns.map((column) => (change.key.includes(column.name) ? column : withNull(column))),
      })
    case 'addColumn':
      return writer.write({ ...change, column: withNull(change.column) })
    case 'changeColumn':
      return change.widening ? widen(change) : convert(change)
    case 'dropColumn':
      return dropColumn(change.table, change.column)
    case 'addWordIndex':
      return addWordsTable(change, wordsTable)
    case 'dropWordIndex':
      return writer.dropTable(change.name)
    default:
      return writer.write(change)
  }
}

/** Otherwise a setting of the session decides. */
function withNull(column: NewColumn): NewColumn {
  return { ...column, declaration: `${column.declaration} null` }
}

/** Without its collation a text would get the one of the database. */
function widen({ table, column, actual, wanted }: ChangeOf<'changeColumn'>): string[] {
  const type = wanted.declaration.replace(/ collate .*/, '')
  const collation =
    wanted.family.kind === 'string' && actual.collation !== undefined ? ` collate ${actual.collation}` : ''
  return writer.modify(table, column, `${type}${collation}`)
}

const temporary = 'stw_converted'

/** Values that fit the new type are kept; texts are cut, whatever else does not fit becomes NULL. */
function convert({ table, column, actual, wanted }: ChangeOf<'changeColumn'>): string[] {
  const { declaration } = wanted
  const value = conversion(quote(column), actual.type, wanted.family)
  return [
    ...writer.write({ kind: 'addColumn', table, column: withNull({ name: temporary, declaration, title: '' }) }),
    `update ${quote(table)} set ${quote(temporary)} = ${value} where ${quote(column)} is not null`,
    ...dropColumn(table, column),
    rename(table, temporary, column),
  ]
}

function rename(table: string, from: string, to: string): string {
  return `exec sp_rename ${literal(`${quote(table)}.${quote(from)}`)}, ${literal(to)}, N'COLUMN'`
}

/** By SQL: knex writes names within texts as they are. */
function dropColumn(table: string, column: string): string[] {
  return [dropDefault(table, column), `alter table ${quote(table)} drop column ${quote(column)}`]
}

/** A default is a constraint of its own, with a name that the server made up. */
function dropDefault(table: string, column: string): string {
  const of = literal(quote(table))
  const place = `parent_object_id = object_id(${of}) and parent_column_id = columnproperty(object_id(${of}), ${literal(column)}, N'ColumnId')`
  const statement = `N'alter table ' + ${of} + N' drop constraint ' + quotename(@name)`
  return `declare @name sysname, @drop nvarchar(max); select @name = name from sys.default_constraints where ${place}; if @name is not null begin set @drop = ${statement}; exec sp_executesql @drop end`
}

function literal(text: string): string {
  return `N'${text.replaceAll("'", "''")}'`
}

function conversion(column: string, from: ColumnFamily, to: ColumnFamily): string {
  const value = asText(column, from)
  switch (to.kind) {
    case 'string':
      return to.length === undefined ? value : `left(${value}, ${to.length})`
    case 'integer':
      return rounded(value, to.digits, 0)
    case 'decimal':
      return rounded(value, (to.precision ?? 38) - (to.scale ?? 0), to.scale ?? 0)
    case 'boolean':
      return `case when lower(${value}) in (N'true', N't', N'1') then 1 when lower(${value}) in (N'false', N'f', N'0') then 0 end`
    case 'date':
      return `try_cast(left(${value}, 10) as date)`
    case 'datetime':
      return `try_cast(left(${value}, 19) as datetime2(0))`
    case 'time':
      return `try_cast(left(${value}, 8) as time(0))`
    default:
      return 'null'
  }
}

/** Most digits of a number that is read from a text: those of the column and some more, to see what rounding loses. */
function rounded(value: string, whole: number, scale: number): string {
  const number = `try_cast(${value} as decimal(38, ${Math.max(scale, 38 - whole - 1)}))`
  const limit = `cast('1${'0'.repeat(Math.min(whole, 37))}' as decimal(38, 0))`
  return `case when abs(${number}) < ${limit} then round(${number}, ${scale}) end`
}

function asText(column: string, from: ColumnFamily): string {
  switch (from.kind) {
    case 'date':
      return `convert(nvarchar(10), ${column}, 23)`
    case 'datetime':
      return `convert(nvarchar(19), ${column}, 120)`
    case 'time':
      return `convert(nvarchar(8), ${column}, 108)`
    case 'float':
      return `convert(nvarchar(64), cast(${column} as decimal(38, 12)))`
    case 'string':
      return column
    default:
      return `cast(${column} as nvarchar(64))`
  }
}

/** Whether a value (not NULL) would not stay as it is in a column that is converted. */
export function isLost(column: string, from: ColumnFamily, to: ColumnFamily): string {
  const value = asText(column, from)
  const converted = conversion(column, from, to)
  if (to.kind === 'string') return to.length === undefined ? '1 = 0' : `len(${value} + N'.') - 1 > ${to.length}`
  if (to.kind === 'integer' || to.kind === 'decimal') {
    const exact = `try_cast(${value} as decimal(38, 10))`
    return `(${converted}) is null or (${converted}) <> ${exact}`
  }
  if (to.kind === 'date')
    return `(${converted}) is null or ${hasTime(value).replace('substr(', 'substring(').replace(', 12)', ', 12, 20)')}`
  return `(${converted}) is null`
}
