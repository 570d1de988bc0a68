import { createDatabaseServer } from '../src/lib/create-database-server.js'
import type { DatabaseAccount, DatabaseServer } from '../src/lib/server/database-server.js'
import { DatabaseServerError } from '../src/lib/server/database-server.js'
import type { DatabaseServerOptions } from '../src/lib/server/options.js'
import { dumpTables } from '../src/lib/server/table-dump/dump-tables.js'
import type { DescribeDatabase, TableSession } from '../src/lib/server/table-dump/format.js'
import { loadTables } from '../src/lib/server/table-dump/load-tables.js'
import { copyThrough } from '../src/lib/server/tool-dump.js'
import { createTranslator } from '../src/lib/server/translate-error.js'

export interface TableDumpDatabase {
  open(url: string): Promise<TableSession>
  readonly describe: DescribeDatabase
  /** Codes of the driver for a wrong password and a database that is not there. */
  readonly refusals: readonly string[]
}

/** The server of another type of database, with dumps of tables in place of those of its vendor's programs. */
export function createTableDumpServer(
  options: DatabaseServerOptions,
  { open, describe, refusals }: TableDumpDatabase,
): DatabaseServer {
  const server = createDatabaseServer(options)
  const { type } = server
  const translate = createTranslator({
    vendor: 'Database',
    codeOf: (error) =>
      refusals.includes(String((error as { code?: string }).code)) ? 'ERR_CREDENTIALS' : 'ERR_FAILED',
    codeOfText: () => 'ERR_FAILED',
  })
  const session = async (account: DatabaseAccount) => {
    try {
      return await open(server.url(account))
    } catch (error) {
      throw translate(error)
    }
  }
  const dump: DatabaseServer['dump'] = async (account, given = {}) => {
    // Names are checked there.
    await server.exists(account)
    return dumpTables({ ...given, type, session: await session(account), describe, translate })
  }
  const restore: DatabaseServer['restore'] = async (account, content, given = {}) => {
    // Refuses what is another one's.
    await server.create(account)
    if (!(await server.isEmpty(account))) throw new DatabaseServerError('ERR_EXISTS', 'It is not empty.')
    try {
      await loadTables({ ...given, type, session: await session(account), content })
    } catch (error) {
      await server.drop(account)
      await server.create(account)
      throw translate(error)
    }
  }
  return {
    ...server,
    dump,
    restore,
    copy: async (from, to, given) =>
      copyThrough(await dump(from, given), (content) => restore(to, content, given), given?.warn),
  }
}
