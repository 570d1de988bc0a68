import { inTransaction, type BulkDialect } from '../../pool/bulk.js'
import type { SchemaConnection } from '../../schema/connection.js'
import { quote } from '../../sql/text.js'

const foreignKeys = `select conrelid::regclass::text as table_name, quote_ident(conname) as name,
    pg_get_constraintdef(oid) as definition
  from pg_constraint
  where contype = 'f' and conparentid = 0 and connamespace in (
    select oid from pg_namespace where nspname = any (current_schemas(false)))`

/** Foreign keys are taken away and made again, which checks all rows at once. */
export const postgresqlBulk: BulkDialect = {
  beginSnapshot: ['begin isolation level repeatable read, read only'],
  load: (connection, model, work) =>
    inTransaction(connection, async () => {
      const keys = await connection.rows(foreignKeys)
      for (const key of keys)
        await connection.run(`alter table ${String(key['table_name'])} drop constraint ${String(key['name'])}`)
      const result = await work()
      for (const key of keys) {
        const { table_name: table, name, definition } = key as Record<string, string>
        await connection.run(`alter table ${table} add constraint ${name} ${definition}`)
      }
      for (const { table, id } of model.objects.values()) {
        const isNumber = id.columnType.kind === 'id' && id.columnType.values === 'integer'
        if (isNumber) await setNextId(connection, table.split('.').map(quote).join('.'), id.column)
      }
      return result
    }),
}

async function setNextId(connection: SchemaConnection, table: string, column: string): Promise<void> {
  const [found] = await connection.rows('select pg_get_serial_sequence($1, $2) as sequence', [table, column])
  if (typeof found?.['sequence'] !== 'string') return
  const highest = `(select max(${quote(column)}) from ${table})`
  await connection.run(`select setval($1, greatest(${highest}, 1), coalesce(${highest} >= 1, false))`, [
    found['sequence'],
  ])
}
