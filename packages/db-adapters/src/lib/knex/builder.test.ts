import { expect, test } from 'vitest'
import { mssqlBuilder } from '../mssql/builder.js'
import { mysqlBuilder } from '../mysql/builder.js'
import { oracleBuilder } from '../oracle/builder.js'
import { postgresqlBuilder } from '../postgresql/builder.js'
import { sqliteBuilder } from '../sqlite/builder.js'

test.each([
  [sqliteBuilder, 'select `a` from `t` where `b` = ?'],
  [postgresqlBuilder, 'select "a" from "t" where "b" = $1'],
  [mysqlBuilder, 'select `a` from `t` where `b` = ?'],
  [mssqlBuilder, 'select [a] from [t] where [b] = @p1'],
  [oracleBuilder, 'select "a" from "t" where "b" = :1'],
])('createBuilder, for a dialect, writes its quotes and placeholders without a connection', (builder, sql) => {
  expect(builder('t').select('a').where('b', 1).toSQL().toNative().sql).toBe(sql)
})
