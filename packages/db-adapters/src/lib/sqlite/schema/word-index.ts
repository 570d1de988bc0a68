import type { ChangeOf } from '../../schema/changes.js'
import type { WordIndexInfo } from '../../schema/table-info.js'
import { quote } from '../../sql/text.js'

export type WordChange = ChangeOf<'addWordIndex' | 'dropWordIndex'>

/** One per kind of write; the first letter of each ends the trigger's name. */
const events = ['insert', 'delete', 'update'] as const

function triggerName(name: string, event: string): string {
  return `${name}_${event[0]}`
}

/**
 * The index of words is an FTS5 table over the column itself ("external content"), which triggers keep in step within the
 * statement that writes a row, foreign key actions included. All characters but blanks belong to words (`ascii`), because
 * the service has taken the texts apart already.
 * Source: sqlite.org/fts5.html, "External Content Tables".
 */
export function wordStatements(change: WordChange): string[] {
  const name = quote(change.name)
  const drop = [
    ...events.map((event) => `drop trigger if exists ${quote(triggerName(change.name, event))}`),
    `drop table if exists ${name}`,
  ]
  if (change.kind === 'dropWordIndex') return drop
  const [table, column] = [quote(change.table), quote(change.column)]
  const add = `insert into ${name} (rowid, ${column}) values (new.rowid, new.${column});`
  const remove = `insert into ${name} (${name}, rowid, ${column}) values ('delete', old.rowid, old.${column});`
  const isChanged = `old.${column} is not new.${column} or old.rowid <> new.rowid`
  const trigger = (event: (typeof events)[number], condition: string, work: string): string =>
    `create trigger ${quote(triggerName(change.name, event))} after ${event} on ${table} ${condition} begin ${work} end`
  return [
    ...drop,
    `create virtual table ${name} using fts5(${column}, content=${table}, content_rowid=rowid, tokenize=ascii, prefix='2 3')`,
    trigger('insert', '', add),
    trigger('delete', '', remove),
    trigger('update', `when ${isChanged}`, `${remove} ${add}`),
    `insert into ${name} (${name}) values ('rebuild')`,
  ]
}

/** The FTS5 tables that `wordStatements` has made, from their statements. */
export function readWordTable(name: string, sql: string): WordIndexInfo {
  const [, column = ''] = /using fts5\("((?:[^"]|"")*)"/.exec(sql) ?? []
  return { name, column: column.replaceAll('""', '"') }
}

/** Those that a table's triggers keep in step. */
export function wordIndexesOf(triggers: readonly string[], wordTables: readonly WordIndexInfo[]): WordIndexInfo[] {
  return wordTables.filter(({ name }) => events.every((event) => triggers.includes(triggerName(name, event))))
}
