import { TableFacts } from '../../sql/facts.js'
import type { SqliteConnection } from './connection.js'

const columns = `
  select m.name as "table", c.name as "column", c."notnull" as required, lower(c.type) as type, exists (
    select 1 from pragma_index_list(m.name) l, pragma_index_xinfo(l.name) x
    where x.seqno = 0 and x.cid = c.cid and x.coll = 'nocase' collate nocase and l.partial = 0) as folded
  from sqlite_master m, pragma_table_info(m.name) c
  where m.type = 'table'`

/** Declared types with the affinity of texts. Source: sqlite.org/datatype3.html, "Determination Of Column Affinity". */
const ofTexts = /^(?!.*int).*(?:char|clob|text)/

/** Names have no case. */
export function readFacts({ raw }: SqliteConnection): TableFacts {
  const facts = new TableFacts((name) => name.toLowerCase())
  const rows = raw
    .prepare<[], { table: string; column: string; required: number; type: string; folded: number }>(columns)
    .all()
  for (const { table, column, required, type, folded } of rows) {
    const affinity = ofTexts.test(type) ? undefined : /^(?:.*blob.*)?$/.test(type) ? 'none' : 'number'
    facts.add(table, column, {
      required: required === 1,
      plainLike: folded === 1 && affinity === undefined,
      ...(affinity && { affinity }),
    })
  }
  return facts
}
