import type { Connection } from 'mysql2'
import mysql from 'mysql2/promise'
import { quote } from '../src/lib/mysql/quote.js'
import type { DescribedColumn, DescribeDatabase, TableSession } from '../src/lib/server/table-dump/format.js'

const bytes = /blob|binary|^bit/

export async function openMysqlTables(url: string): Promise<TableSession> {
  const client = await mysql.createConnection({
    uri: url,
    charset: 'utf8mb4',
    dateStrings: true,
    supportBigNumbers: true,
    bigNumberStrings: true,
  })
  return {
    async run(sql, values = []) {
      const [rows] = await client.query(sql, [...values])
      return rows as Record<string, unknown>[]
    },
    async *rows(sql) {
      const { connection } = client as typeof client & { readonly connection: Connection }
      const rows = connection.query({ sql, rowsAsArray: true }).stream({ highWaterMark: 16 })
      for await (const row of rows) yield [row as unknown[]]
    },
    async insert({ into, columns }, rows) {
      const names = columns.map(({ column }) => column).join(', ')
      await client.query(`insert into ${into} (${names}) values ?`, [rows])
    },
    end: async () => client.destroy(),
  }
}

export const describeMysql: DescribeDatabase = async (run) => {
  await run('start transaction with consistent snapshot, read only')
  const [found] = await run('select version() as version')
  const tables = await run(
    "select table_name as name from information_schema.tables where table_schema = database() and table_type = 'BASE TABLE' order by 1",
  )
  const made = async (kind: string, names: readonly Record<string, unknown>[], column: string) =>
    Promise.all(
      names.map(async ({ name }) => {
        const [row] = await run(`show create ${kind} ${quote(String(name))}`)
        return String(row?.[column]).replace(/^CREATE (ALGORITHM=\w+ )?DEFINER=\S+ (SQL SECURITY \w+ )?/, 'CREATE ')
      }),
    )
  const namesOf = (what: string, schema: string) =>
    run(`select ${what}_name as name from information_schema.${what}s where ${schema} = database() order by 1`)
  const views = await run('select table_name as name from information_schema.views where table_schema = database()')
  return {
    server: String(found?.['version']),
    before: ['set foreign_key_checks = 0', "set sql_mode = 'NO_AUTO_VALUE_ON_ZERO'"],
    tables: await Promise.all(
      tables.map(async ({ name }) => {
        const columns = await run(
          'select column_name as name, data_type as type, extra from information_schema.columns where table_schema = database() and table_name = ? order by ordinal_position',
          [name],
        )
        return {
          table: String(name),
          into: quote(String(name)),
          before: await made('table', [{ name }], 'Create Table'),
          columns: columns.filter(({ extra }) => !/GENERATED/.test(String(extra))).map(describeColumn),
          after: [],
        }
      }),
    ),
    after: [
      ...(await made('view', views, 'Create View')).map((sql) => sql.replaceAll(/`[^`]*`\.(?=`[^`]*`)/g, '')),
      ...(await made('function', await routines('FUNCTION'), 'Create Function')),
      ...(await made('procedure', await routines('PROCEDURE'), 'Create Procedure')),
      ...(await made('trigger', await namesOf('trigger', 'trigger_schema'), 'SQL Original Statement')),
      'set foreign_key_checks = 1',
    ],
  }

  function routines(type: string) {
    return run(
      'select routine_name as name from information_schema.routines where routine_schema = database() and routine_type = ?',
      [type],
    )
  }
}

function describeColumn({ name, type }: Record<string, unknown>): DescribedColumn {
  const column = quote(String(name))
  if (bytes.test(String(type))) return { column, kind: 'bytes', read: column }
  if (/double|float/.test(String(type))) return { column, kind: 'double', read: `${column} + 0e0` }
  return { column, read: `cast(${column} as char)` }
}
