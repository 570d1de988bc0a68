import { StoreError } from '@steward/rest-core/errors'
import type { ReferenceModel } from '@steward/rest-core'
import { inTransaction, type BulkDialect } from '../../pool/bulk.js'
import type { SchemaConnection } from '../../schema/connection.js'
import { key, quoted, textOf } from '../../sql/builder.js'
import { keyColumns } from '../../sql/columns.js'
import { firstRow } from '../../sql/joins.js'
import { mysqlBuilder as builder } from '../builder.js'

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
  const query = builder
    .select(columns.map((column, at) => builder.raw(`cast(${quoted(builder, 'c', column)} as char) as v${at}`)))
    .from(`${key(table)} as c`)
    .leftJoin(`${key(target.table)} as p`, (clause) => {
      for (const [at, column] of columns.entries()) clause.on(`p.${key(ids[at] as string)}`, `c.${key(column)}`)
    })
    .whereNull(`p.${key(ids[0] as string)}`)
  for (const column of columns) query.whereNotNull(`c.${key(column)}`)
  const [broken] = await connection.rows(textOf(firstRow(query)).sql)
  if (!broken) return
  throw new StoreError(
    'reference',
    `A reference is broken: ${table}.${columns.join(', ')} has ${Object.values(broken).join(', ')}, which is not ` +
      `a row of ${target.table}.`,
  )
}
