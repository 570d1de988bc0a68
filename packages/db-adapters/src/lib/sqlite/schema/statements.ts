import type { Change, ChangeOf } from '../../schema/changes.js'
import { onDelete } from '../../schema/sql.js'
import { createWriter } from '../../schema/writer.js'
import { quote } from '../../sql/text.js'
import { sqliteBuilder } from '../builder.js'

export type DirectChange = Exclude<
  Change,
  { kind: 'changeColumn' | 'addForeignKey' | 'dropForeignKey' | 'addWordIndex' | 'dropWordIndex' }
>

const writer = createWriter(sqliteBuilder, { quote, integerId: 'integer primary key autoincrement' })

/** SQL of a change that SQLite can make without a new table. Foreign keys are part of the statement that makes their column. */
export function statementsOf(change: DirectChange, foreignKeys: readonly ChangeOf<'addForeignKey'>[]): string[] {
  switch (change.kind) {
    case 'createTable':
      return writer.create(change, (table) => {
        for (const key of foreignKeys) writer.foreignKey(table, key)
      })
    case 'addColumn': {
      const [key] = foreignKeys
      if (!key) return writer.write(change)
      // Within the declaration: knex would make a new table.
      const declaration = `${change.column.declaration} constraint ${quote(key.name)} ${references(key)}`
      return writer.write({ ...change, column: { ...change.column, declaration } })
    }
    case 'dropColumn':
      // By SQL: knex would make a new table, which loses triggers.
      return [`alter table ${quote(change.table)} drop column ${quote(change.column)}`]
    default:
      return writer.write(change)
  }
}

/** A foreign key as a constraint in the statement of a table, which is not knex's. */
export function foreignKey(key: ChangeOf<'addForeignKey'>): string {
  return `constraint ${quote(key.name)} foreign key (${key.columns.map(quote).join(', ')}) ${references(key)}`
}

function references({ target, targetColumns, onDelete: rule }: ChangeOf<'addForeignKey'>): string {
  return `references ${quote(target)} (${targetColumns.map(quote).join(', ')}) on delete ${onDelete(rule)}`
}
