import { expect, test } from 'vitest'
import { compiledStatements } from '../../../test/statements.js'
import { again, mssqlBuilder } from '../mssql/builder.js'
import { mssqlDialect } from '../mssql/store/dialect.js'
import { mysqlBuilder } from '../mysql/builder.js'
import { mysqlDialect } from '../mysql/store/dialect.js'
import { oracleBuilder } from '../oracle/builder.js'
import { createOracleDialect } from '../oracle/store/dialect.js'
import { postgresqlBuilder } from '../postgresql/builder.js'
import { postgresqlDialect } from '../postgresql/store/dialect.js'
import { sqliteBuilder } from '../sqlite/builder.js'
import { sqliteDialect } from '../sqlite/store/dialect.js'
import { binder, key, quoted, slot, textOf } from './builder.js'

const names = [
  'a.b',
  'x as y',
  '*',
  'a[1]',
  'a]b',
  'what?',
  '\\?',
  'x??y',
  ':name',
  '@p1',
  '`',
  '"',
  ' blank ',
  'é',
  '',
]

test.each([
  [sqliteBuilder, '`', '`', '?'],
  [mysqlBuilder, '`', '`', '?'],
  [postgresqlBuilder, '"', '"', '$1'],
  [oracleBuilder, '"', '"', ':1'],
  [mssqlBuilder, '[', ']', '@p1'],
])('textOf() puts names of any characters in the quotes of the dialect', (builder, open, close, placeholder) => {
  for (const name of names) {
    const place = quoted(builder, 't', name)
    const query = builder
      .select(key(name))
      .from(`${key(name)} as t`)
      .where(builder.raw(`${place} = ?`, [slot(7)]))
    const inQuotes = open + name.replaceAll(close, close + close) + close
    const [t, as] = [`${open}t${close}`, builder === oracleBuilder ? ' ' : ' as ']
    expect(textOf(query)).toStrictEqual({
      sql: `select ${inQuotes} from ${inQuotes}${as}${t} where ${t}.${inQuotes} = ${placeholder}`,
      slots: [7],
      outs: 0,
    })
  }
})

test('textOf() of a statement with a value that was not bound throws', () => {
  expect(() => textOf(sqliteBuilder('t').where('a', 1))).toThrow('A value is part of the statement')
  expect(() => textOf(sqliteBuilder('t').where('a', 'secret'))).toThrow('A value is part of the statement')
})

test.each([sqliteDialect, mysqlDialect, postgresqlDialect, createOracleDialect(10), mssqlDialect])(
  'createCompiler() leaves nothing that stands for a name or a value in a text',
  (dialect) => {
    const statements = compiledStatements(dialect)
    expect(statements.length).toBeGreaterThan(300)
    expect(statements.filter((sql) => /[\uE000-\uF8FF]|4503599627/.test(sql))).toStrictEqual([])
  },
)

test('mssqlBuilder casts limits that are values, orders each page, and leaves the count of rows to the driver', () => {
  const page = (limit: number, offset?: number): string => {
    const query = mssqlBuilder
      .select('a')
      .from('t')
      .limit(limit, { skipBinding: limit < 10 })
    return textOf(offset === undefined ? query : query.offset(offset)).sql
  }
  expect(page(slot(0))).toBe('select top (cast(@p1 as bigint)) [a] from [t]')
  expect(page(5)).toBe('select top (5) [a] from [t]')
  expect(page(slot(0), slot(1))).toBe(
    'select [a] from [t] order by (select null) offset cast(@p1 as bigint) rows fetch next cast(@p2 as bigint) rows only',
  )
  const write = mssqlBuilder('t').where(binder(mssqlBuilder, 0)(`a = ? and a + '.' = ${again} and b = ?`))
  expect(textOf(write.clone().delete())).toMatchObject({
    sql: "delete from [t] where a = @p1 and a + '.' = @p1 and b = @p2",
    slots: [0, 1],
  })
  expect(textOf(write.clone().update({ c: slot(2) })).sql).toMatch(/ = @p3$/)
})

test('oracleBuilder pages what has two columns of one name, and no rows for a limit of 0', () => {
  const query = oracleBuilder
    .select('t.a', 'u.a')
    .from('t')
    .crossJoin('u' as never)
  const page = (limit: number, offset?: number): string => {
    const limited = query.clone().limit(limit, { skipBinding: true })
    return textOf(offset === undefined ? limited : limited.offset(offset)).sql.replace(/^.* join "u" /, '')
  }
  expect(page(0)).toBe('fetch first 0 rows only')
  expect(page(5, slot(0))).toBe('offset :1 rows fetch next 5 rows only')
})
