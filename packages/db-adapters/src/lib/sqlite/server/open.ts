import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/** Not specified; chosen as long as applications wait. */
const busyTimeoutMs = 5_000

/** Makes no file where there is none. @throws what the file system or SQLite says */
export function openExisting(file: string): DatabaseSync {
  statSync(file)
  return new DatabaseSync(file, { timeout: busyTimeoutMs })
}

/** Names of the tables with rows of their own: not SQLite's, nor those inside a full-text index. */
export function tablesOf(database: DatabaseSync): string[] {
  const tables = database
    .prepare(
      `select name from pragma_table_list
       where schema = 'main' and type = 'table' and name not like 'sqlite\\_%' escape '\\' order by name`,
    )
    .all() as { name: string }[]
  return tables.map(({ name }) => name)
}
