import type { ReferenceRule } from './changes.js'
import type { TableInfo } from './table-info.js'

/**
 * Rule of a foreign key. `no action` rather than `restrict`, so that a row and those that refer to it may go in one
 * statement (through a cascade on another way).
 */
export function onDelete(rule: ReferenceRule): string {
  return { refuse: 'no action', cascade: 'cascade', setNull: 'set null' }[rule]
}

/** Whether a text that begins with a date has a time after it that is not midnight. */
export function hasTime(text: string): string {
  return `substr(${text}, 12) not in ('', '00:00', '00:00:00', '00:00:00.000', '00:00:00.000000')`
}

/** A table's name as statements need it, with its schema. */
export function tableOf({ name, schema }: Pick<TableInfo, 'name' | 'schema'>, quote: (name: string) => string): string {
  return schema === undefined ? quote(name) : `${quote(schema)}.${quote(name.slice(schema.length + 1))}`
}
