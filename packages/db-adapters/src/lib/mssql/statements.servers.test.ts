import { expect, test } from 'vitest'
import { createCheck } from '../../../test/grammar.js'
import { compiledStatements, everyChange, everyKind } from '../../../test/statements.js'
import { createCompiler } from '../sql/compiler.js'
import { readMssql } from './schema/catalogue.js'
import { statementsOf } from './schema/statements.js'
import { mssqlTypes } from './schema/types.js'
import { keepsInserts, uniqueKeys } from './schema/unique-keys.js'
import { mssqlDialect, withoutUtf8 } from './store/dialect.js'

const check = createCheck('tsql')

/** Each distinct text costs 10 to 25 ms. */
function problems(statements: Iterable<string>): string[] {
  return [...new Set(statements)].flatMap((sql) => check(sql) ?? [])
}

test('every statement for requests is T-SQL', () => {
  const statements = compiledStatements(mssqlDialect)
  expect(statements.length).toBeGreaterThan(300)
  expect(problems(statements)).toStrictEqual([])
})

test('so it is for servers without UTF-8, and for tables with triggers', () => {
  const sorted = compiledStatements(mssqlDialect).filter((sql) => sql.includes('_UTF8'))
  expect(sorted.length).toBeGreaterThan(20)
  expect(sorted.some((sql) => withoutUtf8(sql).includes('_UTF8'))).toBe(false)
  const compiler = createCompiler(mssqlDialect)
  const triggers = [...everyKind.objects.values()].flatMap((object) => {
    const name = object.fields[0]?.name ?? ''
    const select = object.select([name])
    return [
      compiler.insert(object, { [name]: 'a' }, select),
      compiler.insert(object, {}, select),
      compiler.insert(object, { row_id: '1', [name]: 'a' }, select),
      compiler.update(object, '1', { [name]: 'a' }, { select }),
    ].flatMap((call) => call?.statement.withTriggers ?? [])
  })
  expect(triggers).toHaveLength(8)
  expect(problems([...sorted.slice(0, 20).map(withoutUtf8), ...triggers])).toStrictEqual([])
})

test('so is what reads the catalogue', async () => {
  const statements: string[] = []
  const connection = {
    rows: async (sql: string) => {
      statements.push(sql)
      return []
    },
    run: async () => {},
  }
  await readMssql(connection, ['dbo', 'sales'])
  await uniqueKeys(connection, 'sales.orders')
  await keepsInserts(connection, 'sales.orders')
  expect(statements.length).toBeGreaterThan(5)
  expect(problems(statements)).toStrictEqual([])
})

test('every statement for changes of tables is T-SQL', () => {
  const statements = everyChange(mssqlTypes).flatMap(statementsOf)
  expect(statements.length).toBeGreaterThan(200)
  expect(problems(statements)).toStrictEqual([])
})
