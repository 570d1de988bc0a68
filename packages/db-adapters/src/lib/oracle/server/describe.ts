import { DatabaseServerError } from '../../server/database-server.js'
import type { RunSql } from '../../server/sql-sessions.js'
import type { DescribeDatabase, DescribedColumn, DescribedTable } from '../../server/table-dump/format.js'
import { ownTables } from './contents.js'
import { quote, shownName, text } from './text.js'

type Row = Record<string, unknown>

/** Statements that fit every schema and every tablespace. References come after all rows. */
const transformations = `begin
  dbms_metadata.set_transform_param(dbms_metadata.session_transform, 'STORAGE', false);
  dbms_metadata.set_transform_param(dbms_metadata.session_transform, 'TABLESPACE', false);
  dbms_metadata.set_transform_param(dbms_metadata.session_transform, 'SEGMENT_ATTRIBUTES', false);
  dbms_metadata.set_transform_param(dbms_metadata.session_transform, 'EMIT_SCHEMA', false);
  dbms_metadata.set_transform_param(dbms_metadata.session_transform, 'SQLTERMINATOR', false);
  dbms_metadata.set_transform_param(dbms_metadata.session_transform, 'REF_CONSTRAINTS', false);
end;`

/** Kinds of objects that are created from their text, in the order in which they are created again. */
const programs = ['TYPE', 'FUNCTION', 'PROCEDURE', 'PACKAGE', 'PACKAGE BODY', 'TYPE BODY'] as const
const metadataKinds = {
  TYPE: 'TYPE_SPEC',
  FUNCTION: 'FUNCTION',
  PROCEDURE: 'PROCEDURE',
  PACKAGE: 'PACKAGE_SPEC',
  'PACKAGE BODY': 'PACKAGE_BODY',
  'TYPE BODY': 'TYPE_BODY',
} as const

/**
 * What a schema holds, in the words of the server itself (`dbms_metadata`): sequences, tables with keys and checks,
 * positions of identities, indexes, references, comments, views, code and triggers. Columns follow from the catalogue.
 */
export const describeOracle: DescribeDatabase = async (run) => {
  const [found] = await run('select max(version_full) as version from product_component_version')
  await run(transformations)
  const tables = await run(`select table_name as name ${ownTables} order by table_name`)
  const columns = Map.groupBy(await run(columnsQuery), (row) => String(row['table_name']))
  const identities = Map.groupBy(await run(identitiesQuery), (row) => String(row['table_name']))
  const described: DescribedTable[] = []
  for (const { name } of tables)
    described.push(
      await describeTable(String(name), columns.get(String(name)) ?? [], identities.get(String(name)) ?? []),
    )
  const before = await each('SEQUENCE', sequencesQuery)
  const code: string[] = []
  for (const kind of programs)
    code.push(
      ...(await each(
        metadataKinds[kind],
        `select object_name as name from user_objects where object_type = ${text(kind)} order by object_id`,
      )),
    )
  const after = [
    ...code,
    ...(await each('INDEX', indexesQuery)),
    ...(await each('REF_CONSTRAINT', referencesQuery)),
    ...(await each(
      'VIEW',
      "select object_name as name from user_objects where object_type = 'VIEW' order by object_id",
    )),
    ...(await each('TRIGGER', 'select trigger_name as name from user_triggers order by trigger_name')).flatMap(trigger),
    ...(await run(tableCommentsQuery)).map(
      ({ name, value }) => `comment on table ${quote(String(name))} is ${text(String(value))}`,
    ),
    ...(await run(columnCommentsQuery)).map(
      ({ name, column_name: column, value }) =>
        `comment on column ${quote(String(name))}.${quote(String(column))} is ${text(String(value))}`,
    ),
  ]
  // Its statements about tables came before: who changes tables meanwhile makes the dump fail.
  await run('set transaction read only')
  return { server: `Oracle ${String(found?.['version'])}`, before, tables: described, after }

  async function each(kind: string, query: string): Promise<string[]> {
    const statements: string[] = []
    for (const { name } of await run(query)) statements.push(await statementOf(run, kind, String(name)))
    return statements
  }

  async function describeTable(name: string, own: readonly Row[], identity: readonly Row[]): Promise<DescribedTable> {
    const into = quote(name)
    const always = identity.filter(({ generation_type: generation }) => generation === 'ALWAYS')
    const kindOf = (row: Row) =>
      row['generation_type'] === 'ALWAYS' ? 'always' : `by default${row['default_on_null'] === 'YES' ? ' on null' : ''}`
    const modify = (row: Row, generated: string) =>
      `alter table ${into} modify (${quote(String(row['column_name']))} generated ${generated})`
    return {
      table: shownName(name),
      into,
      // Large objects have to come last in an insert.
      columns: own.map(describeColumn).toSorted((one, other) => Number(one.isLarge) - Number(other.isLarge)),
      before: [await statementOf(run, 'TABLE', name), ...always.map((row) => modify(row, 'by default as identity'))],
      after: identity.map((row) => modify(row, `${kindOf(row)} as identity (start with ${String(row['position'])})`)),
    }
  }
}

const columnsQuery = `select table_name, column_name, data_type from user_tab_cols
  where hidden_column = 'NO' and virtual_column = 'NO' order by table_name, internal_column_id`

const identitiesQuery = `select i.table_name, i.column_name, i.generation_type, c.default_on_null,
    to_char(s.last_number, 'TM9') as position
  from user_tab_identity_cols i
    join user_tab_columns c on c.table_name = i.table_name and c.column_name = i.column_name
    join user_sequences s on s.sequence_name = i.sequence_name`

const sequencesQuery = `select sequence_name as name from user_sequences
  where sequence_name not in (select sequence_name from user_tab_identity_cols) order by sequence_name`

/** Without those that keys bring along. */
const indexesQuery = `select index_name as name from user_indexes
  where index_type not in ('LOB', 'IOT - TOP', 'CLUSTER')
    and table_name in (select table_name ${ownTables})
    and index_name not in (select index_name from user_constraints where index_name is not null)
  order by index_name`

const referencesQuery = `select constraint_name as name from user_constraints
  where constraint_type = 'R' and table_name not like 'BIN$%' order by constraint_name`

const tableCommentsQuery = `select table_name as name, comments as value from user_tab_comments
  where comments is not null and table_name in (select table_name ${ownTables}) order by table_name`

const columnCommentsQuery = `select table_name as name, column_name, comments as value from user_col_comments
  where comments is not null and table_name in (select table_name ${ownTables}) order by table_name, column_name`

async function statementOf(run: RunSql, kind: string, name: string): Promise<string> {
  const [found] = await run('select dbms_metadata.get_ddl(:1, :2) as statement from dual', [kind, name])
  return String(found?.['statement']).trim()
}

/** The server writes whether a trigger is enabled as a statement of its own after it. */
function trigger(statement: string): string[] {
  const [all, made, state] = /^([\s\S]*?)\s*(ALTER TRIGGER \S+ (?:ENABLE|DISABLE))\s*$/i.exec(statement) ?? []
  return all === undefined ? [statement] : [made as string, state as string]
}

function describeColumn(row: Row): DescribedColumn & { readonly isLarge: boolean } {
  const column = quote(String(row['column_name']))
  const type = String(row['data_type'])
  const textOf = (read: string, write?: string) => ({ column, read, write, isLarge: false })
  switch (type.replace(/\(\d+\)/g, '')) {
    case 'NUMBER':
    case 'FLOAT':
      return textOf(`to_char(${column}, 'TM9')`)
    case 'DATE':
    case 'TIMESTAMP':
    case 'TIMESTAMP WITH TIME ZONE':
    case 'BOOLEAN':
      return textOf(`to_char(${column})`)
    case 'TIMESTAMP WITH LOCAL TIME ZONE':
      return textOf(`to_char(${column} at time zone 'UTC', 'SYYYY-MM-DD HH24:MI:SS.FF9 TZR')`, `to_timestamp_tz(?)`)
    case 'INTERVAL YEAR TO MONTH':
      return textOf(`to_char(${column})`, 'to_yminterval(?)')
    case 'INTERVAL DAY TO SECOND':
      return textOf(`to_char(${column})`, 'to_dsinterval(?)')
    case 'CHAR':
    case 'VARCHAR2':
    case 'NCHAR':
    case 'NVARCHAR2':
      return textOf(column)
    case 'CLOB':
    case 'NCLOB':
    case 'LONG':
      return { column, read: column, isLarge: true }
    case 'JSON':
      return { column, read: `json_serialize(${column} returning clob)`, isLarge: true }
    case 'RAW':
      return { column, kind: 'bytes', read: column, isLarge: false }
    case 'BLOB':
    case 'LONG RAW':
      return { column, kind: 'bytes', read: column, isLarge: true }
    case 'BINARY_FLOAT':
    case 'BINARY_DOUBLE':
      return { column, kind: 'double', read: column, isLarge: false }
    default:
      throw new DatabaseServerError(
        'ERR_FAILED',
        `The database cannot be dumped: the column ${quote(String(row['table_name']))}.${column} has the type ${type}, which a dump of tables does not hold.`,
      )
  }
}
