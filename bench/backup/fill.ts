import { DatabaseSync } from 'node:sqlite'

/** Puts this much into the database of the only instance, half of which compresses well, as its user. @returns its URL. */
export async function fillPostgresql(server: string, megabytes: number): Promise<string> {
  const { default: pg } = await import('pg')
  const [{ database = '', owner = '' } = {}] = await query(
    server,
    `select datname as database, rolname as owner from pg_database join pg_roles on pg_roles.oid = datdba
       where datname not in ('postgres', 'test') and not datistemplate`,
  )
  const url = new URL(server)
  url.pathname = `/${database}`
  await query(url.href, `create table bench_row (id bigint primary key, text text not null)`)
  await query(url.href, `alter table bench_row owner to "${owner}"`)
  await query(
    url.href,
    `insert into bench_row select n, (select string_agg(md5(n::text || '-' || m), '') from generate_series(1, 16) m)
       || repeat('Business objects and what belongs to them. ', 12) from generate_series(1, ${megabytes} * 1000) n`,
  )
  return url.href

  async function query(connection: string, sql: string) {
    const client = new pg.Client(connection)
    await client.connect()
    return client
      .query<{ database?: string; owner?: string }>(sql)
      .then(({ rows }) => rows)
      .finally(() => client.end())
  }
}

/** The same into a SQLite file. */
export function fillSqlite(file: string, megabytes: number): void {
  const database = new DatabaseSync(file)
  database.exec(`create table bench_row (id integer primary key, text text not null);
    insert into bench_row with recursive n (n) as (select 1 union all select n + 1 from n where n < ${megabytes * 1000})
      select n, lower(hex(randomblob(256))) || ${text} from n`)
  database.close()
}

/** The same into the only database of instances on a MySQL server. */
export async function fillMysql(server: string, megabytes: number): Promise<void> {
  const { default: mysql } = await import('mysql2/promise')
  const connection = await mysql.createConnection(server)
  try {
    const [rows] = await connection.query(
      `select schema_name as name from information_schema.schemata
         where schema_name not in ('mysql', 'sys', 'test', 'information_schema', 'performance_schema')`,
    )
    const [{ name = '' } = {}] = rows as readonly { readonly name?: string }[]
    await connection.query(`use \`${name}\``)
    await connection.query('create table bench_row (id bigint primary key, text text not null)')
    await connection.query(`set max_recursive_iterations = 100000000`)
    await connection.query(`insert into bench_row with recursive n as (select 1 as n union all select n + 1 from n where n < ${megabytes * 1000})
      select n, concat(sha2(n, 512), sha2(n + 0.1, 512), sha2(n + 0.2, 512), sha2(n + 0.3, 512), ${text}) from n`)
  } finally {
    await connection.end()
  }
}

/** Half of a row, which compresses well. */
const text = `'${'Business objects and what belongs to them. '.repeat(12)}'`
