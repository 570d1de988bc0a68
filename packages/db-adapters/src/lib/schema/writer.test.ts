import { expect, test } from 'vitest'
import { everyChange } from '../../../test/statements.js'
import { mssqlTypes } from '../mssql/schema/types.js'
import { statementsOf as mssqlStatements } from '../mssql/schema/statements.js'
import { mysqlTypes } from '../mysql/schema/types.js'
import { quote as mysqlQuote } from '../mysql/quote.js'
import { statementsOf as mysqlStatements } from '../mysql/schema/statements.js'
import { oracleTypes } from '../oracle/schema/types.js'
import { statementsOf as oracleStatements } from '../oracle/schema/statements.js'
import { postgresqlTypes } from '../postgresql/schema/types.js'
import { statementsOf as postgresqlStatements } from '../postgresql/schema/statements.js'
import { quote } from '../sql/text.js'
import type { Change } from './changes.js'
import type { TypeRules } from './dialect.js'

const plain = { table: 'q_table', column: 'q_column', target: 'q_target', name: 'q_name' }
const odd = { table: ' a.b as c.* ', column: '"what?" [1].`x`', target: '$1 or ??.:id', name: 'drop table x; --' }

const databases: [string, TypeRules, (change: Change) => string[] | Promise<string[]>, (name: string) => string][] = [
  ['postgresql', postgresqlTypes, postgresqlStatements, quote],
  ['mysql', mysqlTypes.mysql, (change) => mysqlStatements(change, [], async () => 'int(1) null'), mysqlQuote],
  ['mssql', mssqlTypes, mssqlStatements, quote],
  ['oracle', oracleTypes, oracleStatements, quote],
]

test.each(databases)(
  'statementsOf, for any names on %s, writes the statement of plain names',
  async (_, types, statements, quoted) => {
    for (const change of everyChange(types).filter(({ kind }) => kind !== 'changeColumn')) {
      const withPlain = await statements(renamed(change, plain))
      // SQL Server has names in texts, too, where quotes are others.
      if (withPlain.some((sql) => sql.includes("N'"))) continue
      const expected = withPlain.map((sql) =>
        Object.entries(plain).reduce(
          (text, [key, name]) => text.replaceAll(name, () => quoted(odd[key as keyof typeof odd]).slice(1, -1)),
          sql,
        ),
      )
      expect(await statements(renamed(change, odd))).toStrictEqual(expected)
    }
  },
)

/** The change with other names; its columns have the same one. */
function renamed(change: Change, { table, column, target, name }: typeof plain): Change {
  const columns = [column]
  switch (change.kind) {
    case 'createTable':
      return {
        ...change,
        table,
        id: change.id && { ...change.id, name },
        key: change.id ? [] : columns,
        columns: change.columns.slice(0, 1).map((each) => ({ ...each, name: column })),
      }
    case 'createView':
      return { ...change, table, mark: name }
    case 'dropView':
      return { ...change, table }
    case 'addColumn':
      return { ...change, table, column: { ...change.column, name: column } }
    case 'renameTable':
      return { ...change, table, from: name }
    case 'renameColumn':
      return { ...change, table, column, from: name }
    case 'addIndex':
      return { ...change, table, name, columns, families: change.families.slice(0, 1) }
    case 'addForeignKey':
      return { ...change, table, name, columns, target, targetColumns: columns }
    case 'dropForeignKey':
      return { ...change, table, name, columns }
    case 'dropColumn':
    case 'changeColumn':
      return { ...change, table, column }
    case 'addWordIndex':
    case 'dropWordIndex':
      return { ...change, table, name, column }
    case 'dropIndex':
      return { ...change, table, name }
  }
}
