import type { SchemaConnection } from '../../schema/connection.js'
import type { Catalogue } from '../../schema/dialect.js'
import { reasonOf, text } from '../../schema/rows.js'
import { tableOf } from '../../schema/sql.js'
import { filledAs } from '../../schema/view-columns.js'
import type { TableInfo } from '../../schema/table-info.js'
import { quote } from '../../sql/text.js'

/** What this needs of a node of a plan. */
interface PlanNode {
  readonly 'Relation Name'?: string
  readonly Schema?: string
  readonly Alias?: string
  /** Expressions in the order of the columns. */
  readonly Output?: readonly string[]
  readonly Plans?: readonly unknown[]
}

const primaryKeysSql = `
  select n.nspname::text as schema, c.relname::text as "table",
    json_agg(quote_ident(a.attname) order by array_position(i.indkey::int2[], a.attnum))::text as columns
  from pg_index i join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey::int2[])
  where i.indisprimary group by n.nspname, c.relname`

/**
 * Gives views their keys. The plan of a view that is one scan of a table shows which column of the table each of its
 * columns is: each row of the table is at most one of the view, so the table's primary key is the view's.
 */
export async function findViewKeys(connection: SchemaConnection, catalogue: Catalogue): Promise<Catalogue> {
  if (!catalogue.tables.some(({ kind }) => kind === 'view')) return catalogue
  const [row = {}] = await connection.rows('select current_schema()::text as schema')
  const current = text(row, 'schema')
  const keys = new Map(
    (await connection.rows(primaryKeysSql)).map((row) => [
      `${text(row, 'schema')}.${text(row, 'table')}`,
      JSON.parse(text(row, 'columns')) as string[],
    ]),
  )
  const tables: TableInfo[] = []
  for (const table of catalogue.tables)
    tables.push(table.kind === 'view' ? await withKey(connection, table, keys, baseOf) : table)
  return { ...catalogue, tables }

  function baseOf({ Schema, 'Relation Name': table }: PlanNode): TableInfo | undefined {
    return catalogue.tables.find(({ name, schema }) =>
      schema === undefined ? name === table && Schema === current : name === `${Schema}.${table}` && Schema === schema,
    )
  }
}

async function withKey(
  connection: SchemaConnection,
  view: TableInfo,
  keys: ReadonlyMap<string, readonly string[]>,
  baseOf: (plan: PlanNode) => TableInfo | undefined,
): Promise<TableInfo> {
  try {
    const [row = {}] = await connection.rows(`explain (verbose, format json) select * from ${tableOf(view, quote)}`)
    const plan = planOf(row['QUERY PLAN'])
    const key = keys.get(`${plan.Schema}.${plan['Relation Name']}`) ?? []
    if (plan.Plans !== undefined || key.length === 0) return view
    const placeOf = (column: string): string => `${quoteName(plan.Alias as string)}.${column}`
    const names = key.map((column) => view.columns[plan.Output?.indexOf(placeOf(column)) ?? -1]?.name)
    if (names.some((name) => name === undefined)) return view
    const base = new Map(baseOf(plan)?.columns.map((column) => [placeOf(quoteName(column.name)), column]))
    return {
      ...view,
      primaryKey: names as string[],
      columns: view.columns.map((column, at) => filledAs(column, base.get(plan.Output?.[at] ?? ''))),
    }
  } catch (error) {
    return { ...view, unreadable: reasonOf(error) }
  }
}

function planOf(value: unknown): PlanNode {
  const [first] = (typeof value === 'string' ? JSON.parse(value) : value) as [{ Plan: PlanNode }]
  return first.Plan
}

/** As `quote_ident` does for names that need it. */
function quoteName(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : quote(name)
}
