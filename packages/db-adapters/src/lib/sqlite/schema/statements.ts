import type { Change, ChangeOf } from '../../schema/changes.js'
import { onDelete } from '../../schema/sql.js'
import { quote } from '../../sql/text.js'

export type DirectChange = Exclude<
  Change,
  { kind: 'changeColumn' | 'addForeignKey' | 'dropForeignKey' | 'addWordIndex' | 'dropWordIndex' }
>

/** SQL of a change that SQLite can make without a new table. Foreign keys are part of the statement that makes their column. */
export function statementOf(change: DirectChange, foreignKeys: readonly ChangeOf<'addForeignKey'>[]): string {
  const table = quote(change.table)
  switch (change.kind) {
    case 'renameTable':
      return `alter table ${quote(change.from)} rename to ${table}`
    case 'renameColumn':
      return `alter table ${table} rename column ${quote(change.from)} to ${quote(change.column)}`
    case 'createTable':
      return createTable(change, foreignKeys)
    case 'addColumn': {
      const [key] = foreignKeys
      const reference = key ? ` constraint ${quote(key.name)} ${references(key)}` : ''
      return `alter table ${table} add column ${quote(change.column.name)} ${change.column.declaration}${reference}`
    }
    case 'dropColumn':
      return `alter table ${table} drop column ${quote(change.column)}`
    case 'addIndex':
      return `create ${change.unique ? 'unique ' : ''}index ${quote(change.name)} on ${table} (${change.columns.map(quote).join(', ')})`
    case 'dropIndex':
      return `drop index ${quote(change.name)}`
  }
}

/** A foreign key as a constraint of the table. */
export function foreignKey(key: ChangeOf<'addForeignKey'>): string {
  return `constraint ${quote(key.name)} foreign key (${key.columns.map(quote).join(', ')}) ${references(key)}`
}

function references({ target, targetColumns, onDelete: rule }: ChangeOf<'addForeignKey'>): string {
  return `references ${quote(target)} (${targetColumns.map(quote).join(', ')}) on delete ${onDelete(rule)}`
}

function createTable(
  { table, id, key, columns }: ChangeOf<'createTable'>,
  foreignKeys: readonly ChangeOf<'addForeignKey'>[],
): string {
  const idType =
    id?.values === 'integer' ? 'integer primary key autoincrement' : `${id?.declaration} not null primary key`
  const lines = [
    ...(id ? [`${quote(id.name)} ${idType}`] : []),
    ...columns.map(({ name, declaration }) => `${quote(name)} ${declaration}`),
    ...(id ? [] : [`primary key (${key.map(quote).join(', ')})`]),
    ...foreignKeys.map(foreignKey),
  ]
  return `create table ${quote(table)} (\n  ${lines.join(',\n  ')}\n)`
}
