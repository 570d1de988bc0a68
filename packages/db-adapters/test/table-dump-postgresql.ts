import pg from 'pg'
import type { DescribedColumn, DescribedTable, TableSession } from '../src/lib/server/table-dump/format.js'
import type { DescribeDatabase } from '../src/lib/server/table-dump/format.js'

/** Rows of one fetch. */
const batchRows = 50

export async function openPostgresqlTables(url: string): Promise<TableSession> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  await client.connect()
  return {
    run: async (sql, values = []) => (await client.query<Record<string, unknown>>(sql, [...values])).rows,
    async *rows(sql) {
      await client.query(`declare dumped no scroll cursor for ${sql}`)
      for (;;) {
        const { rows } = await client.query<unknown[]>({ text: `fetch ${batchRows} from dumped`, rowMode: 'array' })
        if (rows.length > 0) yield rows
        if (rows.length < batchRows) break
      }
      await client.query('close dumped')
    },
    async insert({ into, columns }, rows) {
      const names = columns.map(({ column }) => column).join(', ')
      const most = Math.floor(60_000 / columns.length)
      for (let at = 0; at < rows.length; at += most) {
        let placeholder = 0
        const part = rows.slice(at, at + most)
        const values = part.map(() => `(${columns.map(() => `$${++placeholder}`).join(', ')})`).join(', ')
        await client.query(`insert into ${into} (${names}) overriding system value values ${values}`, part.flat())
      }
    },
    end: () => client.end(),
  }
}

export const describePostgresql: DescribeDatabase = async (run) => {
  await run('begin isolation level repeatable read read only')
  await run("set local search_path = ''")
  const sql = async (query: string) => (await run(query)).map(({ sql }) => String(sql))
  const own = "n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema'"
  const [found] = await run("select current_setting('server_version') as version")
  const tables = await run(
    `select c.oid::int as oid, c.relname as name, format('%I.%I', n.nspname, c.relname) as into
     from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relkind = 'r' and ${own} order by 2`,
  )
  return {
    server: `PostgreSQL ${String(found?.['version'])}`,
    before: [
      ...(await sql(
        `select format('create sequence %I.%I as %s start %s increment %s', schemaname, sequencename, data_type,
           start_value, increment_by) as sql
         from pg_sequences s join pg_class c on c.oid = format('%I.%I', schemaname, sequencename)::regclass
         where not exists (select from pg_depend where objid = c.oid and deptype = 'i')`,
      )),
    ],
    tables: await Promise.all(tables.map((table) => describeTable(table))),
    after: [
      ...(await sql(
        `select format('select pg_catalog.setval(%L, %s)', format('%I.%I', schemaname, sequencename), last_value) as sql
         from pg_sequences where last_value is not null`,
      )),
      ...(await sql(
        `select format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(c.oid)) as sql
         from pg_constraint c join pg_namespace n on n.oid = c.connamespace
         where ${own} and contype in ('p', 'u', 'c', 'f', 'x') order by contype = 'f', conname`,
      )),
      ...(await sql(
        `select pg_get_indexdef(indexrelid) as sql from pg_index i join pg_class c on c.oid = i.indrelid
         join pg_namespace n on n.oid = c.relnamespace
         where ${own} and not exists (select from pg_constraint where conindid = indexrelid)`,
      )),
      ...(await sql(
        `select format('create view %s as %s', c.oid::regclass, pg_get_viewdef(c.oid)) as sql
         from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relkind = 'v' and ${own} order by c.oid`,
      )),
      ...(await sql(
        `select pg_get_functiondef(p.oid) as sql from pg_proc p join pg_namespace n on n.oid = p.pronamespace where ${own}`,
      )),
    ],
  }

  async function describeTable({ oid, name, into }: Record<string, unknown>): Promise<DescribedTable> {
    const columns = await run(
      `select format('%I', attname) as name, format_type(atttypid, atttypmod) as type, attnotnull as is_required,
         attidentity as identity, attgenerated as generated, pg_get_expr(adbin, adrelid) as expression
       from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
       where attrelid = ${Number(oid)} and attnum > 0 and not attisdropped order by attnum`,
    )
    return {
      table: String(name),
      into: String(into),
      before: [`create table ${String(into)} (${columns.map(definition).join(', ')})`],
      columns: columns.filter(({ generated }) => generated === '').map(describeColumn),
      after: [],
    }
  }
}

function definition(column: Record<string, unknown>): string {
  const { name, type, is_required: isRequired, identity, generated, expression } = column
  const text = (value: unknown) => String(value)
  return [
    `${text(name)} ${text(type)}`,
    isRequired ? ' not null' : '',
    identity === 'a' ? ' generated always as identity' : identity === 'd' ? ' generated by default as identity' : '',
    generated === 's' ? ` generated always as (${text(expression)}) stored` : '',
    generated === '' && expression !== null ? ` default ${text(expression)}` : '',
  ].join('')
}

function describeColumn({ name, type }: Record<string, unknown>): DescribedColumn {
  const column = String(name)
  if (type === 'bytea') return { column, kind: 'bytes', read: column }
  if (type === 'double precision') return { column, kind: 'double', read: column }
  return { column, read: `${column}::text` }
}
