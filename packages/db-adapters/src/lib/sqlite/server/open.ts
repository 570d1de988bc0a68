import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { DatabaseServerError } from '../../server/database-server.js'

/** Not specified; chosen as long as applications wait. */
const busyTimeoutMs = 5_000

/**
 * Before it is opened: a pipe would let its reader wait for ever, and a device never ends.
 *
 * @throws DatabaseServerError ERR_FAILED for a folder, pipe, socket or device; what the file system says when it is not there
 */
export function requireFile(file: string): void {
  if (statSync(file).isFile()) return
  throw new DatabaseServerError('ERR_FAILED', `"${file}" is not a file; remove it, and restore a backup.`)
}

/** Makes no file where there is none. @throws as `requireFile`, and what SQLite says */
export function openExisting(file: string): DatabaseSync {
  requireFile(file)
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
