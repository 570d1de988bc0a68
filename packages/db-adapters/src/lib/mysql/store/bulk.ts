import { StoreError } from '@steward/rest-core/errors'
import { inTransaction, type BulkDialect } from '../../pool/bulk.js'
import type { SchemaConnection } from '../../schema/connection.js'
import { quote } from '../quote.js'

/** Foreign keys are switched off for the session; `auto_increment` follows the ids by itself. */
export const mysqlBulk: BulkDialect = {
  beginSnapshot: [
    'set session transaction isolation level repeatable read',
    'start transaction with consistent snapshot, read only',
  ],
  async load(connection, model, work) {
    await connection.run('set foreign_key_checks = 0')
    return inTransaction(connection, async () => {
      const result = await work()
      for (const { table, references } of model.objects.values())
        for (const { column, target } of references)
          await checkReference(connection, { table, column, target: target.table, id: target.id.column })
      return result
    })
  },
}

interface Reference {
  readonly table: string
  readonly column: string
  readonly target: string
  readonly id: string
}

async function checkReference(connection: SchemaConnection, reference: Reference): Promise<void> {
  const { table, column, target, id } = reference
  const [broken] = await connection.rows(
    `select cast(c.${quote(column)} as char) as value from ${quote(table)} c
     left join ${quote(target)} p on p.${quote(id)} = c.${quote(column)}
     where c.${quote(column)} is not null and p.${quote(id)} is null limit 1`,
  )
  if (!broken) return
  throw new StoreError(
    'reference',
    `A reference is broken: ${table}.${column} has ${String(broken['value'])}, which is no row of ${target}.`,
  )
}
