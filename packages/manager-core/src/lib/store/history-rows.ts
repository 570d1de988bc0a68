import type { HistoryRow } from './history-chain.js'
import { sqlite, type Queryable } from './sqlite.js'

/** Entries as they are stored, in their order. */
export function historyRowsAfter({ [sqlite]: database }: Queryable, id: number, limit: number): readonly HistoryRow[] {
  return database
    .prepare('select * from history where id > ? order by id limit ?')
    .all(id, limit) as unknown as readonly HistoryRow[]
}

/** Number of the last entry that was ever written, whether it is still there or not; 0: none. */
export function lastHistoryId({ [sqlite]: database }: Queryable): number {
  return Number(database.prepare(`select seq from sqlite_sequence where name = 'history'`).get()?.['seq'] ?? 0)
}

/** Id of the instance that had a name last. */
export function instanceInHistory({ [sqlite]: database }: Queryable, name: string): string | undefined {
  const last = database
    .prepare('select instance_id as id from history where instance = ? collate nocase order by id desc limit 1')
    .get(name)
  return last && String(last['id'])
}

/** Names that an instance had when something was done with it. */
export function namesInHistory({ [sqlite]: database }: Queryable, instanceId: string): readonly string[] {
  const rows = database.prepare('select distinct instance from history where instance_id = ?').all(instanceId)
  return rows.map(({ instance }) => String(instance))
}
