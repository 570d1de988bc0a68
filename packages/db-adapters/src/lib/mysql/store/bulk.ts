import { StoreError } from '@steward/rest-core/errors'
import type { ReferenceModel } from '@steward/rest-core'
import { inTransaction, type BulkDialect } from '../../pool/bulk.js'
import type { SchemaConnection } from '../../schema/connection.js'
import { keyColumns } from '../../sql/columns.js'
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
        for (const reference of references) await checkReference(connection, table, reference)
      return result
    })
  },
}

async function checkReference(connection: SchemaConnection, table: string, reference: ReferenceModel): Promise<void> {
  const { target } = reference
  const columns = keyColumns(reference)
  const ids = keyColumns(target.id)
  const values = columns.map((column) => `c.${quote(column)}`)
  const same = values.map((value, at) => `p.${quote(ids[at] as string)} = ${value}`).join(' and ')
  const filled = values.map((value) => `${value} is not null`).join(' and ')
  const [broken] = await connection.rows(
    `select ${values.map((value, at) => `cast(${value} as char) as v${at}`).join(', ')} from ${quote(table)} c
     left join ${quote(target.table)} p on ${same}
     where ${filled} and p.${quote(ids[0] as string)} is null limit 1`,
  )
  if (!broken) return
  throw new StoreError(
    'reference',
    `A reference is broken: ${table}.${columns.join(', ')} has ${Object.values(broken).join(', ')}, which is not ` +
      `a row of ${target.table}.`,
  )
}
