import { wireKeys } from '../wire-instance.js'

/** What may be read by a filter: the views, and the tables below them. */
export const readableTables: readonly string[] = ['i', 'v', 'r', 'instance', 'version', 'request', 'fresh']

/** Functions that a filter may call; others could read files, or use memory without end. */
export const allowedFunctions: readonly string[] = [
  'like',
  'glob',
  'lower',
  'upper',
  'length',
  'substr',
  'substring',
  'trim',
  'ltrim',
  'rtrim',
  'instr',
  'replace',
  'coalesce',
  'ifnull',
  'nullif',
  'iif',
  'abs',
  'min',
  'max',
  'round',
  'date',
  'time',
  'datetime',
  'julianday',
  'strftime',
  'unixepoch',
  'timediff',
  'typeof',
  'char',
  'unicode',
  'concat',
  'concat_ws',
  'current_date',
  'current_time',
  'current_timestamp',
]

const yesNo = (column: string) => `case ${column} when 1 then 'yes' else 'no' end`

/** Columns that are not those of the table. */
const computed: Readonly<Record<string, string>> = {
  status: 't.desired',
  observed: 'coalesce(f.observed, t.observed)',
  proved: 'coalesce(f.proved, t.proved)',
  url: `'http://127.0.0.1:' || t.port`,
  protected: yesNo('t.protected'),
  auto_update: yesNo('t.auto_update'),
  auto_save: yesNo('t.auto_save'),
}

/**
 * Temporary views with the columns that surfaces show: `i` instances, `v` versions, `r` requests. What was observed
 * since the registry was written stands in `fresh`. Source: docs/spec/instances-manager.md, "Instance".
 */
export const viewsSql = `
  create temp table fresh (id text primary key, observed text not null, proved text not null);
  create temp view i as select ${wireKeys.map((key) => `${computed[key] ?? `t.${key}`} as ${key}`).join(', ')}
    from main.instance t left join temp.fresh f on f.id = t.id;
  create temp view v as select version, title, date, revision, location, fetched from main.version;
  create temp view r as select id, name, version, email, firstname, lastname, phone, company, status, instance, created,
    confirmed, decided, decided_by, note from main.request;`

/** Ids of the instances for which a where clause holds. The clause stands on lines of its own, so that `--` ends there. */
export function filterSql(where: string): string {
  return `select distinct i.id as id from i left join v on v.version = i.version left join r on r.instance = i.name where (\n${where}\n)`
}
