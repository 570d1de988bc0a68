import type { SchemaConnection } from '../../schema/connection.js'
import { text } from '../../schema/rows.js'
import { TableFacts } from '../../sql/facts.js'

const sql = `
  select table_name as t, column_name as c, is_nullable as nullable, collation_name as collation
  from information_schema.columns where table_schema = database()`

/** Names of columns, and on some systems those of tables, have no case. */
export async function readFacts(connection: SchemaConnection): Promise<TableFacts> {
  const facts = new TableFacts((name) => name.toLowerCase())
  for (const row of await connection.rows(sql))
    facts.add(text(row, 't'), text(row, 'c'), {
      required: text(row, 'nullable') === 'NO',
      // Such a collation folds the case by itself.
      plainLike: text(row, 'collation').endsWith('_ci'),
    })
  return facts
}
