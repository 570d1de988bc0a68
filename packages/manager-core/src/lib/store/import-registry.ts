import { tablesOf } from './migrations.js'
import type { Registry } from './registry.js'
import { sqlite } from './sqlite.js'

/** Instances and versions come back by themselves; the history in front of that of this machine. */
const others: ReadonlySet<string> = new Set([
  'instance',
  'version',
  'version_look',
  'reserved_port',
  'history',
  'registry',
])

/**
 * Takes over what a saved registry knows beside instances and versions: tokens, requests, incidents, operations that have
 * ended, and the history, which comes before what was done here. Once: from then on the registry has the id of the saved one.
 *
 * @param file a registry of this manager's form
 * @returns whether there was anything to do
 */
export function importRegistry({ [sqlite]: database, transaction, history }: Registry, file: string): boolean {
  database.prepare('attach ? as saved').run(file)
  try {
    const idOf = (of: string) => String(database.prepare(`select id from ${of}.registry`).get()?.['id'])
    const id = idOf('saved')
    if (idOf('main') === id) return false
    const own = history({ limit: 1_000_000 })
    transaction((writer) => {
      database.exec('delete from history')
      copy('history')
      for (const { id: _id, hash: _hash, ...entry } of own) writer.addHistory(entry)
      for (const table of tablesOf(database)) if (!others.has(table)) copy(table)
      database.exec(`update operation set state = 'rolled_back', ended = started, message = 'Its result is unknown.'
        where state not in ('succeeded', 'rolled_back') and id in (select id from saved.operation)`)
      database
        .prepare('update registry set id = ?, changes = max(changes, (select changes from saved.registry)) + 1')
        .run(id)
    })
    return true
  } finally {
    database.exec('detach saved')
  }

  function copy(table: string): void {
    const columns = database.prepare(`select name from pragma_table_info('${table}')`).all()
    const names = columns.map(({ name }) => String(name)).join(', ')
    database.exec(`insert or ignore into main.${table} (${names}) select ${names} from saved.${table}`)
  }
}
