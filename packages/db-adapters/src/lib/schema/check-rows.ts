import { StoreError } from '@steward/rest-core/errors'
import type { Change, ChangeOf } from './changes.js'
import type { SchemaConnection, SchemaRow } from './connection.js'
import type { SchemaDialect } from './dialect.js'
import { firstRows } from './first-rows.js'
import { oldNames } from './old-names.js'

/**
 * Looks for rows that would break new unique indexes and foreign keys, before anything is changed: the database's own
 * message would not say which rows, and where DDL cannot be undone it would come half-way.
 *
 * @throws StoreError `schema` with examples.
 */
export async function checkRows(
  connection: SchemaConnection,
  changes: readonly Change[],
  dialect: Pick<SchemaDialect, 'quote' | 'firstRows'>,
): Promise<void> {
  const { quote } = dialect
  const some = firstRows(dialect, 3)
  const names = oldNames(changes)
  const created = new Set(changes.filter(({ kind }) => kind === 'createTable').map(({ table }) => table))
  const fresh = new Set(
    changes.flatMap((change) => {
      if (change.kind === 'addColumn') return [`${change.table}\0${change.column.name}`]
      return change.kind === 'changeColumn' && !change.widening ? [`${change.table}\0${change.column}`] : []
    }),
  )
  /** Undefined when there is nothing to check: the rows or values do not exist yet, or will be converted. */
  const kept = (table: string, columns: readonly string[]): string[] | undefined => {
    if (created.has(table) || columns.some((column) => fresh.has(`${table}\0${column}`))) return undefined
    return columns.map((column) => names.column(table, column))
  }
  for (const change of changes) {
    if (change.kind === 'addIndex' && change.unique) await checkUnique(change)
    if (change.kind === 'addForeignKey') await checkLinks(change)
  }

  async function checkUnique({ table, columns }: ChangeOf<'addIndex'>): Promise<void> {
    const old = kept(table, columns)
    if (!old) return
    const list = old.map(quote).join(', ')
    const filled = old.map((column) => `${quote(column)} is not null`).join(' and ')
    const sql = `select ${list} from ${quote(names.table(table))} where ${filled} group by ${list} having count(*) > 1${some}`
    const found = await connection.rows(sql)
    if (found.length === 0) return
    const text = `Cannot make ${columns.join(', ')} of table "${table}" unique: several rows have ${found.map(asText).join(', ')}. Nothing was changed. Change or delete these rows, or take "key" or "unique" from the field.`
    throw new StoreError('schema', text)
  }

  async function checkLinks({ table, columns, target, targetColumns }: ChangeOf<'addForeignKey'>): Promise<void> {
    const values = kept(table, columns)?.map((old) => `child.${quote(old)}`)
    if (!values) return
    const same = kept(target, targetColumns)?.map((old, at) => `parent.${quote(old)} = ${values[at]}`)
    const linked = same && `exists (select 1 from ${quote(names.table(target))} parent where ${same.join(' and ')})`
    const filled = values.map((value) => `${value} is not null`).join(' and ')
    const sql = `select ${values.join(', ')} from ${quote(names.table(table))} child where ${filled}${linked ? ` and not ${linked}` : ''}${some}`
    const found = await connection.rows(sql)
    if (found.length === 0) return
    const text = `Cannot make ${table}.${columns.join(', ')} refer to table "${target}": it has no rows ${found.map(asText).join(', ')}. Nothing was changed. Correct or empty these values first.`
    throw new StoreError('schema', text)
  }
}

function asText(row: SchemaRow): string {
  const values = Object.values(row).map((value) => JSON.stringify(typeof value === 'bigint' ? String(value) : value))
  return values.length === 1 ? (values[0] as string) : `(${values.join(', ')})`
}
