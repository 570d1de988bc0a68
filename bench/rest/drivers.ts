import type { types as PgTypes } from 'pg'

/** PostgreSQL: dates and times stay the text that is answered, decimals become numbers. */
export function keepTexts(types: typeof PgTypes): void {
  const { builtins } = types
  for (const type of [builtins.DATE, builtins.TIMESTAMP]) types.setTypeParser(type, (text) => text)
  types.setTypeParser(builtins.NUMERIC, Number)
}

/** MySQL: the same. */
export const mysqlTexts = { dateStrings: true, decimalNumbers: true } as const

/** What every SQLite connection is set to. WAL is written in the file itself. */
export const sqlitePragmas = ['journal_mode = WAL', 'synchronous = NORMAL', 'foreign_keys = ON'] as const
