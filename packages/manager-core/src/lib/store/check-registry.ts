import { sqlite, type Queryable } from './sqlite.js'

/** What is wrong in the registry's file, as SQLite says it; empty: nothing. */
export function registryFaults({ [sqlite]: database }: Queryable): readonly string[] {
  const rows = database.prepare('pragma quick_check').all()
  return rows.map((row) => String(Object.values(row)[0])).filter((text) => text !== 'ok')
}

/** Id of the manager that a registry belongs to. */
export function registryId({ [sqlite]: database }: Queryable): string {
  return String(database.prepare('select id from registry').get()?.['id'])
}
