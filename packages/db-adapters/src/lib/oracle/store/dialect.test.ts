import { expect, it } from 'vitest'
import { createOracleDialect } from './dialect.js'

const dialect = createOracleDialect(10)

it.each([
  [{ kind: 'date' }, `lower(to_char(a, 'YYYY-MM-DD'))`],
  [{ kind: 'datetime' }, `lower(to_char(a, 'YYYY-MM-DD HH24:MI:SS'))`],
  [{ kind: 'integer', precision: 15 }, 'lower(to_char(a))'],
  [{ kind: 'id', values: 'integer' }, 'lower(to_char(a))'],
  [{ kind: 'id', values: 'string' }, 'lower(a)'],
  [{ kind: 'string', length: 10 }, 'lower(a)'],
] as const)('like() of a column %j compares the text that answers have: %s', (type, text) => {
  expect(dialect.like('a', type as never, {} as never)).toBe(`${text} like nvl(lower(?), chr(0))`)
})
