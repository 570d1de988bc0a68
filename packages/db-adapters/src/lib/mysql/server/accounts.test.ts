import { expect, it } from 'vitest'
import type { RunSql } from '../../server/sql-sessions.js'
import { mysqlMarks } from './accounts.js'

const account = { name: 'steward_a1', user: 'steward_a1', password: '' }

/** A server that has these tables of comments. */
function fake(tables: readonly string[]) {
  const comments = new Map<string, string>()
  const statements: string[] = []
  const run: RunSql = async (sql, values = []) => {
    statements.push(sql)
    if (sql.includes('information_schema.columns')) return tables.map((name) => ({ name }))
    if (sql.includes('from mysql.user')) return ['localhost', '%'].map((host) => ({ host }))
    if (sql.includes('user_attributes'))
      return ['localhost', '%'].map((host) => ({ comment: comments.get(`${String(values[0])}@${host}`) ?? null }))
    const [user, host, mark] = values
    if (sql === 'alter user ?@? comment ?') comments.set(`${String(user)}@${String(host)}`, String(mark))
    return []
  }
  return { run, statements, comments }
}

it('MySQL keeps the mark as the comment of each of the users of that name', async () => {
  const { run, comments } = fake(['USER_ATTRIBUTES'])
  await mysqlMarks.write(run, account, 'Steward /srv/ours 1a2b')
  expect([...comments.keys()]).toEqual(['steward_a1@localhost', 'steward_a1@%'])
  expect(await mysqlMarks.comments(run, account)).toEqual(['Steward /srv/ours 1a2b', 'Steward /srv/ours 1a2b'])
})

it('versions without comments say so, and are asked for nothing else', async () => {
  const { run, statements } = fake([])
  expect(await mysqlMarks.comments(run, account)).toBeUndefined()
  await mysqlMarks.write(run, account, 'Steward /srv/ours 1a2b')
  expect(statements.filter((sql) => !sql.includes('information_schema.columns'))).toEqual([])
})
