import type { SchemaConnection } from '../../schema/connection.js'
import { number, text } from '../../schema/rows.js'
import { TableFacts } from '../../sql/facts.js'
import { lacksOf } from './character-sets.js'

const sql = `
  select table_name as t, column_name as c, is_nullable as nullable, collation_name as collation,
    character_set_name as charset, data_type as type, datetime_precision as fraction
  from information_schema.columns where table_schema = database()`

/** Names of columns, and on some systems those of tables, have no case. */
export async function readFacts(connection: SchemaConnection): Promise<TableFacts> {
  const facts = new TableFacts((name) => name.toLowerCase())
  for (const row of await connection.rows(sql))
    facts.add(text(row, 't'), text(row, 'c'), {
      required: text(row, 'nullable') === 'NO',
      // Such a collation folds the case by itself.
      plainLike: text(row, 'collation').endsWith('_ci'),
      fraction: (number(row, 'fraction') ?? 0) > 0,
      single: text(row, 'type').toLowerCase() === 'float',
      neverBlank: text(row, 'type').toLowerCase() === 'uuid',
      listed: ['enum', 'set'].includes(text(row, 'type').toLowerCase()),
      ...lacksOf(text(row, 'charset')),
    })
  return facts
}
