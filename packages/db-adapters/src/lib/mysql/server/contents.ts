import type { SqlContents } from '../../server/sql-contents.js'
import { quote } from '../quote.js'

const ownTables = `from information_schema.tables where table_schema = database() and table_type = 'BASE TABLE'`

export const mysqlContents: SqlContents = {
  beginSnapshot: (run) => run('start transaction with consistent snapshot, read only'),
  placeholder: '?',
  async isEmpty(run) {
    const [found] = await run(
      'select exists (select 1 from information_schema.tables where table_schema = database()) as has_tables',
    )
    return Number(found?.['has_tables']) === 0
  },
  async tables(run) {
    const tables = await run(`select table_name as name ${ownTables} order by table_name`)
    return tables.map(({ name }) => ({ name: String(name), quoted: quote(String(name)) }))
  },
  async bytes(run) {
    const [found] = await run(`select sum(data_length + index_length) as bytes ${ownTables}`)
    return Number(found?.['bytes'])
  },
  async column(run, table, column) {
    const [found] = await run(
      'select 1 from information_schema.columns where table_schema = database() and table_name = ? and column_name = ?',
      [table, column],
    )
    return found && { table: quote(table), column: quote(column) }
  },
}
