const tables: ReadonlySet<string> = new Set(['sys_lease', 'knex_migrations', 'knex_migrations_lock'])

/** Whether application servers keep a table for themselves: which of them works, which migrations were run. */
export function isBookkeeping(table: string): boolean {
  return tables.has(table.toLowerCase())
}
