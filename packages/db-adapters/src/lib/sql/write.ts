import type { Filter, ObjectModel } from '@steward/rest-core'
import { binder, key, quoted, raw, type Bind, type Query, type Raw, type Writing } from './builder.js'
import { keyColumns, readsOf, type Column, type Columns } from './columns.js'
import { quotedTable, tableKey, type Dialect } from './dialect.js'
import { filterFields, filterSql } from './filter.js'
import { createJoins, firstRow, lookup } from './joins.js'
import { addId, readOf } from './select.js'

export interface WriteParts {
  readonly object: ObjectModel
  readonly columns: Columns
  /** Columns that are set; their values come first. */
  readonly written: readonly Column[]
  readonly selected: readonly Column[]
}

/** Values are taken in this order: written columns, row id, filter. */
export interface ChangeParts extends WriteParts {
  readonly where?: Filter | undefined
}

export interface WriteQuery {
  readonly query: Writing
  readonly gives: 'records' | 'id' | 'changes'
  readonly withTriggers?: Raw
  readonly numbers?: string
}

export function insertQuery(dialect: Dialect, parts: WriteParts): WriteQuery {
  const { object, columns, written } = parts
  const { builder } = dialect
  const query = builder(tableKey(object.table, dialect)).insert(
    written.length > 0 ? valuesOf(dialect, written, binder(builder, 0)) : emptyRow(dialect, parts),
  )
  const given = columns.idValues === 'integer' ? written.findIndex(({ name }) => name === 'row_id') : -1
  if (dialect.writes !== 'output' || given < 0) return answering(dialect, parts, query)
  return { ...output(dialect, parts, query, given), numbers: quotedTable(object.table, dialect) }
}

export function updateQuery(dialect: Dialect, parts: ChangeParts): WriteQuery {
  const { builder } = dialect
  const bind = binder(builder, 0)
  const query = builder(tableKey(parts.object.table, dialect)).update(valuesOf(dialect, parts.written, bind))
  return answering(dialect, parts, addCondition(query, dialect, parts, bind))
}

export function deleteQuery(dialect: Dialect, parts: ChangeParts): WriteQuery {
  const { builder } = dialect
  const table = tableKey(parts.object.table, dialect)
  const matching = (query: Query): Query => addCondition(query, dialect, parts, binder(builder, 0))
  const all = dialect.deleteRow?.(parts.object, (id) => matching(builder(table).select(key(id))))
  return { query: all ?? matching(builder(table).delete()), gives: 'changes' }
}

function valuesOf(dialect: Dialect, written: readonly Column[], bind: Bind): Record<string, Raw> {
  return Object.fromEntries(written.map(({ column, type }) => [key(column), bind(dialect.bind?.(type) ?? '?')]))
}

/** knex writes `default values` and the like; where that does not do, a column is named. */
function emptyRow({ writes, builder }: Dialect, { object, columns }: WriteParts): Record<string, Raw> {
  // Not every server takes "default values" together with "output", and none a row id by default.
  const named = writes === 'output' ? object.fields.find(({ readOnly }) => !readOnly) : columns.id
  return (writes === 'output' || writes === 'into') && named ? { [key(named.column)]: builder.raw('default') } : {}
}

/**
 * The written row by `output`. That clause knows the columns of the row only (not every server takes expressions of them),
 * and is refused for tables with triggers unless its rows go into a table; then the row is read by its id, in the same batch.
 *
 * @param givenId slot of the row id, where the write brings it and no table has to remember it
 */
function output(
  dialect: Dialect,
  { object, columns, selected }: WriteParts,
  write: Query,
  givenId?: number,
): WriteQuery {
  const { builder } = dialect
  const joins = createJoins('t0', dialect)
  const { reads } = readsOf(selected)
  const keys = columns.id.parts?.map(({ read }) => read) ?? [columns.id]
  const names = keys.map((_, at) => `x_id${at}`)
  const select = builder.select(reads.map((column) => builder.raw(dialect.read(joins.place(column), column.type))))
  const from = `${tableKey(object.table, dialect)} as t0`
  const withTriggers = givenId === undefined ? rememberingIds() : readingGiven(givenId)
  const isPlain = reads.every(({ path, column, type }) => {
    const name = quoted(builder, column)
    return path.length === 0 && dialect.read(name, type) === name
  })
  if (!isPlain) return { query: withTriggers, gives: 'records' }
  return { query: write.returning(reads.map(({ column }) => key(column))), gives: 'records', withTriggers }

  function rememberingIds(): Raw {
    const declared = keys.map(({ type }, at) => `${names[at]} ${listType(type)}`).join(', ')
    // knex has no word for "into", and writes the name of the table of written rows before each column.
    const given = keys.map(({ column }) => quoted(builder, column)).join(', inserted.')
    const into = builder.raw(`${given} into @written (${names.join(', ')})`)
    const rows = select.from(builder.raw('@written x_w')).join(from, (clause) => {
      for (const [at, column] of keys.entries()) {
        const [collation = ''] = / collate \w+/.exec(listType(column.type)) ?? []
        clause.on(builder.raw(`x_w.${names[at]}${collation} = ${joins.place(column)}`))
      }
    })
    const remembered = write.clone().returning([into])
    return raw(builder, `declare @written table (${declared}); ??; ??`, [remembered, joins.addTo(rows)])
  }

  function readingGiven(id: number): Raw {
    const { type } = columns.id
    const same = binder(builder, id)(`${joins.place(columns.id)} = ${dialect.bind?.(type) ?? '?'}`)
    return raw(builder, '??; ??', [write.clone(), joins.addTo(select.from(from)).where(same)])
  }
}

/** The type of a row id in a table variable; texts of any collation compare with it. */
function listType({ kind, ...type }: Column['type']): string {
  if ('values' in type && type.values === 'integer') return 'bigint'
  switch (kind) {
    case 'integer':
      return 'bigint'
    case 'decimal':
      return `decimal(38, ${(type as { scale: number }).scale})`
    case 'datetime':
      return 'datetime2(7)'
    case 'date':
    case 'time':
      return kind
    default:
      return 'nvarchar(450) collate Latin1_General_100_BIN2'
  }
}

/** Lets the write give back the record, if the dialect can do that in the same statement. */
function answering(dialect: Dialect, parts: WriteParts, write: Query): WriteQuery {
  const { object, columns, selected } = parts
  const { builder } = dialect
  const { reads } = readsOf(selected)
  const readOwn = ({ column, type }: Column): Raw =>
    builder.raw(dialect.read(quoted(builder, ...tableNames(object, dialect), column), type))
  switch (dialect.writes) {
    case 'reread':
      return { query: write, gives: 'changes' }
    case 'output':
      return output(dialect, parts, write)
    case 'returning': {
      const read = (column: Column): Raw =>
        column.path.length > 0 ? readOf(lookup(object.table, column, dialect), column, dialect) : readOwn(column)
      return { query: write.returning(reads.map(read)), gives: 'records' }
    }
    case 'into': {
      const isGiven = reads.every(({ path, type }) => path.length === 0 && !dialect.isLong?.(type))
      const given = isGiven ? reads : keyReads(columns)
      const read = given.map(({ column, type }) => builder.raw(dialect.read(quoted(builder, column), type)))
      return { query: write.returning(read), gives: isGiven ? 'records' : 'id' }
    }
    case 'cte': {
      // All parts of the statement see the tables as they were before it, so a row that joins its own table is read afterwards.
      if (selected.some(({ path }) => path.some(({ target }) => target.table === object.table)))
        return { query: write.returning(keyReads(columns).map(readOwn)), gives: 'id' }
      const joins = createJoins('t0', dialect)
      const select = reads.map((column) => builder.raw(dialect.read(joins.place(column), column.type)))
      // No others: the database's user may lack the right to read them.
      const own = new Set(reads.flatMap(({ path: [first], column }) => (first ? keyColumns(first) : [column])))
      const written = write.returning([...own].map(key))
      return { query: joins.addTo(builder.with('t0', written).select(select).from('t0')), gives: 'records' }
    }
  }
}

/** What shows that a row was written: its id, or the first column of one that has several. */
function keyReads({ id }: Columns): readonly [Column] {
  return [id.parts?.[0]?.read ?? id]
}

function tableNames({ table }: ObjectModel, { schemas }: Dialect): string[] {
  return schemas ? table.split('.') : [table]
}

/** The row with this id, if it matches the filter. */
function addCondition(query: Query, dialect: Dialect, parts: ChangeParts, bind: Bind): Query {
  const { object, columns, where: filter, written } = parts
  const { builder } = dialect
  const own = ({ column }: Column): string => quoted(builder, ...tableNames(object, dialect), column)
  addId(query, columns.id, own, dialect, bind)
  if (!filter) return query
  const joined = [...filterFields(filter)].some((name) => columns.readable(name).path.length > 0)
  if (!joined) return query.where(bind(filterSql(filter, columns, own, dialect)))
  const joins = createJoins('t0', dialect)
  const [id = ''] = keyColumns(object.id)
  const found = builder.select({ x_id: `t0.${key(id)}` }).from(`${tableKey(object.table, dialect)} as t0`)
  const again = binder(builder, written.length)
  addId(found, columns.id, joins.place, dialect, again)
  found.where(again(filterSql(filter, columns, joins.place, dialect)))
  // Two levels and a limit: MySQL refuses a subquery on the table that is written, unless it is surely a table of its own.
  const ids = builder.select('x_id').from(firstRow(joins.addTo(found)).as('x_found'))
  // The inner query is about one row, so that the first column of several is enough.
  return query.whereIn(`${tableKey(object.table, dialect)}.${key(id)}`, ids)
}
