import { DatabaseServerError } from '../../server/database-server.js'
import type { RunSql } from '../../server/sql-sessions.js'
import type { DescribeDatabase, DescribedColumn, DescribedTable } from '../../server/table-dump/format.js'
import { beginSnapshot } from './contents.js'
import { quote, text } from './text.js'

type Row = Record<string, unknown>

/**
 * What a database holds, by its catalogue: schemas, sequences, tables with all columns, defaults, checks, keys, indexes
 * and positions of identities, comments, views, procedures, functions and triggers.
 */
export const describeMssql: DescribeDatabase = async (run) => {
  await beginSnapshot(run)
  const [found] = await run("select cast(serverproperty('ProductVersion') as nvarchar(128)) as version")
  const columns = groups(await run(columnsQuery), 'object_id')
  const keys = await run(indexesQuery)
  const keyColumns = groups(await run(indexColumnsQuery), 'object_id')
  const tables = await run(tablesQuery)
  const namesOf = new Map(tables.map((table) => [Number(table['object_id']), nameOf(table)]))
  const sequences = await run(sequencesQuery)
  return {
    server: `SQL Server ${String(found?.['version'])}`,
    before: [
      ...(await run(schemasQuery)).map(({ name }) => `create schema ${quote(String(name))}`),
      ...sequences.map(sequence),
    ],
    tables: tables.map((table) => describeTable(table, columns.get(Number(table['object_id'])) ?? [])),
    after: [
      ...keys.filter((key) => !key['is_primary_key']).map((key) => indexStatement(key)),
      ...(await foreignKeys(run)),
      ...(await run(commentsQuery)).map(comment),
      ...(await run(modulesQuery)).map(module),
    ],
  }

  function describeTable(table: Row, own: readonly Row[]): DescribedTable {
    const into = nameOf(table)
    const id = Number(table['object_id'])
    const identity = own.find((column) => column['is_identity'])
    const primaryKey = keys.find((key) => Number(key['object_id']) === id && key['is_primary_key'])
    const parts = own.map(definition)
    if (primaryKey) parts.push(keyDefinition(primaryKey))
    return {
      table: table['schema_name'] === 'dbo' ? String(table['table_name']) : into.replaceAll(/[[\]]/g, ''),
      into,
      columns: own.filter((column) => !column['is_computed'] && column['type_name'] !== 'timestamp').map(described),
      before: [`create table ${into} (${parts.join(', ')})`, ...(identity ? [`set identity_insert ${into} on`] : [])],
      after: identity ? [`set identity_insert ${into} off`, ...position(into, identity)] : [],
    }
  }

  function keyDefinition(key: Row): string {
    const kind = key['is_primary_key'] ? 'primary key' : 'unique'
    return `constraint ${quote(String(key['name']))} ${kind} ${String(key['type_desc']).toLowerCase()} (${columnsOf(key)})`
  }

  function indexStatement(key: Row): string {
    const into = namesOf.get(Number(key['object_id'])) ?? ''
    if (key['is_unique_constraint']) return `alter table ${into} add ${keyDefinition(key)}`
    const included = columnsOf(key, true)
    return [
      `create ${key['is_unique'] ? 'unique ' : ''}${String(key['type_desc']).toLowerCase()} index ${quote(String(key['name']))}`,
      ` on ${into} (${columnsOf(key)})`,
      included === '' ? '' : ` include (${included})`,
      key['filter_definition'] ? ` where ${String(key['filter_definition'])}` : '',
    ].join('')
  }

  function columnsOf(key: Row, included = false): string {
    return (keyColumns.get(Number(key['object_id'])) ?? [])
      .filter((column) => column['index_id'] === key['index_id'] && Boolean(column['is_included_column']) === included)
      .map(({ name, is_descending_key: descending }) => `${quote(String(name))}${descending ? ' desc' : ''}`)
      .join(', ')
  }
}

const inOwnTable = 'exists (select 1 from sys.tables t where t.object_id = c.object_id and t.is_ms_shipped = 0)'

const schemasQuery = `select name from sys.schemas s
  where name <> 'dbo' and exists (select 1 from sys.objects o where o.schema_id = s.schema_id and o.is_ms_shipped = 0
    and o.type in ('U', 'V', 'P', 'FN', 'IF', 'TF', 'SO')) order by schema_id`

const tablesQuery = `select t.object_id, s.name as schema_name, t.name as table_name
  from sys.tables t join sys.schemas s on s.schema_id = t.schema_id where t.is_ms_shipped = 0 order by s.name, t.name`

const columnsQuery = `select c.object_id, c.name, type_name(c.user_type_id) as type_name,
    c.max_length, c.precision, c.scale, c.collation_name, c.is_nullable, c.is_identity, c.is_computed, c.is_rowguidcol,
    y.is_user_defined,
    case when c.is_identity = 1 then cast(ident_seed(concat('[', s.name, '].[', o.name, ']')) as varchar(40)) end as seed,
    case when c.is_identity = 1 then cast(ident_incr(concat('[', s.name, '].[', o.name, ']')) as varchar(40)) end as step,
    case when (select count(i.last_value) from sys.identity_columns i where i.object_id = c.object_id) > 0
      then cast(ident_current(concat('[', s.name, '].[', o.name, ']')) as varchar(40)) end as last,
    d.name as default_name, d.definition as default_definition, x.definition as computed, x.is_persisted
  from sys.columns c
    join sys.tables o on o.object_id = c.object_id
    join sys.schemas s on s.schema_id = o.schema_id
    join sys.types y on y.user_type_id = c.user_type_id
    left join sys.default_constraints d on d.object_id = c.default_object_id
    left join sys.computed_columns x on x.object_id = c.object_id and x.column_id = c.column_id
  where o.is_ms_shipped = 0 order by c.object_id, c.column_id`

const indexesQuery = `select c.object_id, c.index_id, c.name, c.type_desc, c.is_unique, c.is_primary_key, c.is_unique_constraint,
    c.filter_definition
  from sys.indexes c
  where ${inOwnTable} and c.type in (1, 2) and c.is_hypothetical = 0
  order by c.object_id, c.index_id`

const indexColumnsQuery = `select c.object_id, c.index_id, n.name, c.is_descending_key, c.is_included_column
  from sys.index_columns c join sys.columns n on n.object_id = c.object_id and n.column_id = c.column_id
  where ${inOwnTable} order by c.object_id, c.index_id, c.key_ordinal, c.index_column_id`

const foreignKeysQuery = `select f.object_id, f.name, fs.name as schema_name, ft.name as table_name,
    ts.name as target_schema, tt.name as target_table, fc.name as column_name, tc.name as target_column,
    f.delete_referential_action_desc as on_delete, f.update_referential_action_desc as on_update
  from sys.foreign_keys f
    join sys.tables ft on ft.object_id = f.parent_object_id
    join sys.schemas fs on fs.schema_id = ft.schema_id
    join sys.tables tt on tt.object_id = f.referenced_object_id
    join sys.schemas ts on ts.schema_id = tt.schema_id
    join sys.foreign_key_columns k on k.constraint_object_id = f.object_id
    join sys.columns fc on fc.object_id = k.parent_object_id and fc.column_id = k.parent_column_id
    join sys.columns tc on tc.object_id = k.referenced_object_id and tc.column_id = k.referenced_column_id
  order by f.object_id, k.constraint_column_id`

const checksQuery = `select c.name, c.definition, s.name as schema_name, t.name as table_name
  from sys.check_constraints c
    join sys.tables t on t.object_id = c.parent_object_id
    join sys.schemas s on s.schema_id = t.schema_id
  where t.is_ms_shipped = 0 order by c.object_id`

const sequencesQuery = `select s.name as schema_name, q.name as table_name, type_name(q.user_type_id) as type_name,
    cast(q.start_value as varchar(40)) as start_value, cast(q.increment as varchar(40)) as step,
    cast(q.minimum_value as varchar(40)) as lowest, cast(q.maximum_value as varchar(40)) as highest,
    cast(q.current_value as varchar(40)) as position, q.is_cycling
  from sys.sequences q join sys.schemas s on s.schema_id = q.schema_id order by q.object_id`

const commentsQuery = `select cast(p.value as nvarchar(3750)) as value, s.name as schema_name, t.name as table_name, c.name as column_name
  from sys.extended_properties p
    join sys.tables t on t.object_id = p.major_id
    join sys.schemas s on s.schema_id = t.schema_id
    left join sys.columns c on c.object_id = p.major_id and c.column_id = p.minor_id
  where p.class = 1 and p.name = 'MS_Description' order by p.major_id, p.minor_id`

const modulesQuery = `select m.definition, o.name from sys.sql_modules m join sys.objects o on o.object_id = m.object_id
  where o.is_ms_shipped = 0 and o.type in ('V', 'P', 'FN', 'IF', 'TF', 'TR') order by o.object_id`

function groups(rows: readonly Row[], by: string): Map<number, Row[]> {
  return Map.groupBy(rows, (row) => Number(row[by]))
}

function nameOf({ schema_name: schema, table_name: table }: Row): string {
  return `${quote(String(schema))}.${quote(String(table))}`
}

function definition(column: Row): string {
  const name = quote(String(column['name']))
  if (column['is_computed'])
    return `${name} as ${String(column['computed'])}${column['is_persisted'] ? ' persisted' : ''}`
  return [
    `${name} ${typeOf(column)}`,
    column['collation_name'] ? ` collate ${String(column['collation_name'])}` : '',
    column['is_identity'] ? ` identity(${String(column['seed'])}, ${String(column['step'])})` : '',
    column['is_rowguidcol'] ? ' rowguidcol' : '',
    column['is_nullable'] ? ' null' : ' not null',
    column['default_name']
      ? ` constraint ${quote(String(column['default_name']))} default ${String(column['default_definition'])}`
      : '',
  ].join('')
}

function typeOf(column: Row): string {
  const type = String(column['type_name'])
  const [length, precision, scale] = [column['max_length'], column['precision'], column['scale']].map(Number)
  switch (type) {
    case 'char':
    case 'varchar':
    case 'binary':
    case 'varbinary':
      return `${type}(${length === -1 ? 'max' : length})`
    case 'nchar':
    case 'nvarchar':
      return `${type}(${length === -1 ? 'max' : Number(length) / 2})`
    case 'decimal':
    case 'numeric':
      return `${type}(${precision}, ${scale})`
    case 'datetime2':
    case 'datetimeoffset':
    case 'time':
      return `${type}(${scale})`
    case 'timestamp':
      return 'rowversion'
    default:
      return type
  }
}

/** Texts that are exact, and read in the same way under every language and date format. */
function described(row: Row): DescribedColumn {
  const column = quote(String(row['name']))
  const type = String(row['type_name'])
  const isOwn = Boolean(row['is_user_defined'])
  if (isOwn || type === 'sql_variant')
    throw new DatabaseServerError(
      'ERR_FAILED',
      `The database cannot be dumped: the column ${column} has the type "${type}", which a dump of tables does not hold.`,
    )
  switch (type) {
    case 'binary':
    case 'varbinary':
    case 'image':
      return { column, kind: 'bytes', read: column }
    case 'hierarchyid':
    case 'geometry':
    case 'geography':
      return { column, kind: 'bytes', read: `convert(varbinary(max), ${column})`, write: `convert(${type}, ?)` }
    case 'float':
    case 'real':
      return { column, kind: 'double', read: column }
    case 'money':
    case 'smallmoney':
      return { column, read: `convert(varchar(50), ${column}, 2)`, write: `convert(${type}, ?)` }
    case 'date':
    case 'time':
    case 'datetime':
    case 'datetime2':
    case 'smalldatetime':
    case 'datetimeoffset':
      return { column, read: `convert(varchar(40), ${column}, 121)`, write: `convert(${typeOf(row)}, ?, 121)` }
    case 'xml':
      return { column, read: `convert(nvarchar(max), ${column})`, write: 'convert(xml, ?, 1)' }
    case 'char':
    case 'varchar':
    case 'nchar':
    case 'nvarchar':
    case 'text':
    case 'ntext':
    case 'sysname':
      return { column, read: column }
    default:
      return { column, read: `convert(varchar(50), ${column})` }
  }
}

/** The next row continues after the last one; of a table without rows the first one gets the position itself. */
function position(into: string, { last, step }: Row): string[] {
  if (last === null || last === undefined) return []
  const next = BigInt(String(last)) + BigInt(String(step))
  // Not every server takes a Unicode constant here.
  const name = /^[\x20-\x7e]*$/.test(into) ? text(into).slice(1) : text(into)
  const reseed = (value: string) => `dbcc checkident (${name}, reseed, ${value})`
  return [`if exists (select 1 from ${into}) ${reseed(String(last))} else ${reseed(String(next))}`]
}

function sequence(row: Row): string {
  const { type_name: type, start_value: start, step, lowest, highest, position: current } = row
  // The current value is given out, but for a sequence that was never asked.
  const isNew = current === start
  const next = isNew ? String(start) : String(BigInt(String(current)) + BigInt(String(step)))
  const bounds = `minvalue ${String(lowest)} maxvalue ${String(highest)} ${row['is_cycling'] ? 'cycle' : 'no cycle'}`
  return `create sequence ${nameOf(row)} as ${String(type)} start with ${next} increment by ${String(step)} ${bounds}`
}

async function foreignKeys(run: RunSql): Promise<string[]> {
  const checks = (await run(checksQuery)).map(
    (row) =>
      `alter table ${nameOf(row)} add constraint ${quote(String(row['name']))} check ${String(row['definition'])}`,
  )
  const references = [...groups(await run(foreignKeysQuery), 'object_id').values()].map((rows) => {
    const [first] = rows as [Row]
    const list = (name: string) => rows.map((row) => quote(String(row[name]))).join(', ')
    const target = nameOf({ schema_name: first['target_schema'], table_name: first['target_table'] })
    const action = (name: string) => String(first[name]).toLowerCase().replace('_', ' ')
    return (
      `alter table ${nameOf(first)} add constraint ${quote(String(first['name']))} foreign key (${list('column_name')})` +
      ` references ${target} (${list('target_column')}) on delete ${action('on_delete')} on update ${action('on_update')}`
    )
  })
  return [...checks, ...references]
}

function comment({ value, schema_name: schema, table_name: table, column_name: column }: Row): string {
  const level = (at: number, type: string, name: unknown) => `, N'${type}', ${text(String(name))}`.repeat(at)
  return (
    `exec sp_addextendedproperty N'MS_Description', ${text(String(value))}` +
    level(1, 'SCHEMA', schema) +
    level(1, 'TABLE', table) +
    level(column === null ? 0 : 1, 'COLUMN', column)
  )
}

function module({ definition: statement, name }: Row): string {
  if (typeof statement === 'string') return statement
  throw new DatabaseServerError(
    'ERR_FAILED',
    `The database cannot be dumped: the text of "${String(name)}" is encrypted.`,
  )
}
