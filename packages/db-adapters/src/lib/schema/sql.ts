import type { ReferenceRule } from './changes.js'

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
