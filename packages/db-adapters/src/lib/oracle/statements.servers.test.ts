import { describe, expect, test } from 'vitest'
import { createCheck } from '../../../test/grammar.js'
import { compiledStatements, everyChange } from '../../../test/statements.js'
import type { SchemaConnection } from '../schema/connection.js'
import { readOracle, readSchemas } from './schema/catalogue.js'
import { constraintColumns } from './schema/constraint-columns.js'
import { statementsOf } from './schema/statements.js'
import { oracleTypes } from './schema/types.js'
import { keepsInserts, uniqueKeys } from './schema/unique-keys.js'
import { createOracleDialect } from './store/dialect.js'

const check = createCheck('plsql')

/** What the grammar does not know: Oracle 12.2 and later do. */
const newer: readonly (readonly [now: RegExp, then: string])[] = [
  [/json_table\(.*?path '\$'\)\)/g, '(select 1 as place, 2 as word from dual)'],
]

function problemOf(sql: string): string | undefined {
  return check(newer.reduce((text, [now, then]) => text.replaceAll(now, then), sql))
}

describe('statements of Oracle follow the grammar', () => {
  test('requests', () => {
    const statements = compiledStatements(createOracleDialect(10))
    expect(statements.length).toBeGreaterThan(300)
    expect(statements.map(problemOf).filter((problem) => problem !== undefined)).toStrictEqual([])
  }, 600_000)

  test('changes of tables', () => {
    const statements = everyChange(oracleTypes).flatMap((change) => statementsOf(change))
    expect(statements.length).toBeGreaterThan(20)
    expect(statements.map(problemOf).filter((problem) => problem !== undefined)).toStrictEqual([])
  }, 600_000)

  test('what reads the data dictionary', async () => {
    const statements: string[] = []
    const connection: SchemaConnection = {
      rows: async (sql) => {
        statements.push(sql)
        return []
      },
      run: async () => {},
    }
    await readOracle(connection)
    await readOracle(connection, ['SALES'])
    await readSchemas(connection)
    await constraintColumns(connection, 'T', 'C')
    await uniqueKeys(connection, 'SALES.T')
    await keepsInserts(connection, 'SALES.T')
    expect(statements.map(problemOf).filter((problem) => problem !== undefined)).toStrictEqual([])
  })
})

test('a list of more than 1,000 values is several lists', () => {
  const list = createOracleDialect(10).in('t0."a"', 2048, { kind: 'string', length: 10 })
  const parts = list.slice(1, -1).split(' or ')
  expect(parts.map((part) => part.split('?').length - 1)).toStrictEqual([1000, 1000, 48])
})
