import type { SqlContents } from '../../server/sql-contents.js'
import { quote, shownName } from './text.js'

/** Without those that the server keeps beside tables for indexes of words, nested tables and the like. */
export const ownTables = `from user_tables where nested = 'NO' and secondary = 'N' and dropped = 'NO'
  and (iot_type is null or iot_type = 'IOT') and table_name not in (select mview_name from user_mviews)`

export const oracleContents: SqlContents = {
  beginSnapshot: (run) => run('set transaction read only'),
  placeholder: `to_timestamp(:1, 'YYYY-MM-DD HH24:MI:SS')`,
  async isEmpty(run) {
    const [found] = await run(`select count(*) as tables ${ownTables}`)
    return Number(found?.['tables']) === 0
  },
  async tables(run) {
    const tables = await run(`select table_name as name ${ownTables}`)
    return tables
      .map(({ name }) => ({ quoted: quote(String(name)), name: shownName(String(name)) }))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1))
  },
  async bytes(run) {
    const [found] = await run('select nvl(sum(bytes), 0) as bytes from user_segments')
    return Number(found?.['bytes'])
  },
  async column(run, table, column) {
    const [found] = await run(
      `select table_name as table_name, column_name as column_name from user_tab_columns
       where table_name in (:1, upper(:2)) and column_name in (:3, upper(:4))`,
      [table, table, column, column],
    )
    return found && { table: quote(String(found['table_name'])), column: quote(String(found['column_name'])) }
  },
}
