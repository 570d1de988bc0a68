import type { Change } from './changes.js'

/** Names as they are in the database, for those after the renames of a plan. */
export interface OldNames {
  table(name: string): string
  column(table: string, name: string): string
}

export function oldNames(changes: readonly Change[]): OldNames {
  const key = (table: string, column: string): string => `${table}\0${column}`
  const tables = new Map(
    changes.filter((change) => change.kind === 'renameTable').map(({ table, from }) => [table, from]),
  )
  const columns = new Map(
    changes
      .filter((change) => change.kind === 'renameColumn')
      .map(({ table, column, from }) => [key(table, column), from]),
  )
  return {
    table: (name) => tables.get(name) ?? name,
    column: (table, name) => columns.get(key(table, name)) ?? name,
  }
}
