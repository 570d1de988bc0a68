import { createModel } from '@steward/rest-core'
import { expect, it } from 'vitest'
import { mssqlDialect } from '../mssql/store/dialect.js'
import { createCompiler } from '../sql/compiler.js'
import type { ServerConnection } from './connection.js'
import { ConnectionSession } from './session.js'

const note = createModel([{ name: 'Note', timestamps: false, fields: { text: { type: 'string' } } }]).object('Note')

/** A connection that also counts the rows of triggers: each delete is of one row, and a trigger wrote another one. */
function counting(rowsOfId: number) {
  const sent: string[] = []
  const connection = {
    countsTriggers: true,
    query: async ({ statement }: { statement: { sql: string } }) => {
      sent.push(statement.sql)
      return [[String(rowsOfId)]]
    },
    change: async ({ statement }: { statement: { sql: string } }) => {
      sent.push(statement.sql)
      return { affected: 2, insertId: '0' }
    },
  }
  return { sent, connection: connection as unknown as ServerConnection }
}

it('delete() takes rows that triggers wrote for no rows of the record', async () => {
  const { connection, sent } = counting(1)
  const compiler = createCompiler(mssqlDialect)
  const unique = new ConnectionSession(connection, compiler, { isUnique: () => true })
  expect(await unique.delete(note, '1')).toBe(true)
  expect(sent).toStrictEqual([expect.stringContaining('delete')])
  const unknown = new ConnectionSession(connection, compiler)
  expect(await unknown.delete(note, '1')).toBe(true)
})

it('delete() of a row id with several rows sends nothing where it could not be counted', async () => {
  const { connection, sent } = counting(2)
  const session = new ConnectionSession(connection, createCompiler(mssqlDialect))
  await expect(session.delete(note, '1')).rejects.toMatchObject({ code: 'rows' })
  expect(sent.filter((sql) => sql.includes('delete'))).toStrictEqual([])
  expect(session.failure).toMatchObject({ code: 'rows' })
})
