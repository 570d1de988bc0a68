import type { SqlContents } from '../../server/sql-contents.js'

const ownTables = `from pg_class join pg_namespace on pg_namespace.oid = relnamespace
  where relkind in ('r', 'p') and not relispartition and nspname not in ('pg_catalog', 'information_schema') and nspname not like 'pg\\_%'`

export const postgresqlContents: SqlContents = {
  beginSnapshot: (run) => run('begin isolation level repeatable read read only'),
  placeholder: '$1',
  async isEmpty(run) {
    const [found] = await run(`select exists (select ${ownTables}) as has_tables`)
    return found?.['has_tables'] === false
  },
  /** Those of other schemas than `public` are called `<schema>.<table>`. */
  async tables(run) {
    const tables = await run(
      `select format('%I.%I', nspname, relname) as quoted,
         case when nspname = 'public' then relname else nspname || '.' || relname end as name ${ownTables} order by 2`,
    )
    return tables.map(({ quoted, name }) => ({ quoted: String(quoted), name: String(name) }))
  },
  async bytes(run) {
    const [size] = await run('select pg_database_size(current_database()) as bytes')
    return Number(size?.['bytes'])
  },
  async column(run, table, column) {
    const [found] = await run(
      `select format('%I.%I', table_schema, table_name) as quoted, format('%I', column_name) as column
       from information_schema.columns where table_schema = 'public' and table_name = $1 and column_name = $2`,
      [table, column],
    )
    return found && { table: String(found['quoted']), column: String(found['column']) }
  },
}
