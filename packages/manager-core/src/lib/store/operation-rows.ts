import { sqlite, type Queryable } from './sqlite.js'
import { ended, type OperationState } from './transitions.js'

const hasEnded = `state in (${ended.map((state) => `'${state}'`).join(', ')})`

export interface OperationsWanted {
  /** Name of an instance, without regard to case. Default: any. */
  readonly instance?: string | undefined
  /** Default: any. */
  readonly states?: readonly OperationState[] | undefined
}

/** Ids of operations, newest first, read as they are asked for. */
export function* operationIds(
  { [sqlite]: database }: Queryable,
  { instance, states }: OperationsWanted,
): Generator<string> {
  const rows = database
    .prepare(
      `select id from operation where (?1 is null or instance = ?1 collate nocase)
       and (?2 is null or state in (select value from json_each(?2))) order by started desc`,
    )
    .iterate(instance ?? null, states ? JSON.stringify(states) : null)
  for (const { id } of rows) yield String(id)
}

/** Whether there was ever an operation. */
export function hasOperations({ [sqlite]: database }: Queryable): boolean {
  return database.prepare('select 1 from operation limit 1').get() !== undefined
}

/** Ids of operations that have not ended. */
export function openOperations({ [sqlite]: database }: Queryable): ReadonlySet<string> {
  const rows = database.prepare(`select id from operation where not ${hasEnded}`).all()
  return new Set(rows.map(({ id }) => String(id)))
}

/** Whether an operation that has not ended has a text in its facts. */
export function isInOpenFacts({ [sqlite]: database }: Queryable, text: string): boolean {
  const open = database.prepare(`select 1 from operation where not ${hasEnded} and instr(facts, ?) > 0`)
  return open.get(text) !== undefined
}

/** Whether an operation that has not ended reads the backup in a folder. */
export function isBackupInUse({ [sqlite]: database }: Queryable, folder: string): boolean {
  const found = database
    .prepare(
      `select 1 from operation where not ${hasEnded}
       and kind in ('restore', 'recreate', 'prove', 'verify') and request ->> '$.backup' = ?`,
    )
    .get(folder)
  return found !== undefined
}

/** Ids of instances that an operation ended at since then. */
export function instancesOfEnded({ [sqlite]: database }: Queryable, since: Date): ReadonlySet<string> {
  const rows = database.prepare('select instance_id as id from operation where ended >= ?').all(since.toISOString())
  return new Set(rows.map(({ id }) => String(id)))
}

/** How long each step of an operation took that has ended, in ms. */
export function stepTimes({ [sqlite]: database }: Queryable, operation: string): ReadonlyMap<string, number> {
  const rows = database
    .prepare('select step, started, ended from step where operation = ? and ended is not null')
    .all(operation)
  return new Map(
    rows.map(({ step, started, ended }) => [String(step), Date.parse(String(ended)) - Date.parse(String(started))]),
  )
}

/** The last rehearsal of the upgrade of an instance from one revision to another that has ended. */
export function lastRehearsalRow(
  { [sqlite]: database }: Queryable,
  { instance, from, to }: { readonly instance: string; readonly from: string; readonly to: string },
): { readonly at: string; readonly good: boolean } | undefined {
  const row = database
    .prepare(
      `select ended, state from operation
       where kind = 'rehearse' and instance_id = ?1 and ${hasEnded}
         and facts ->> '$.upgrade.revision' = ?3 and facts ->> '$.upgrade.from.revision' = ?2
       order by started desc limit 1`,
    )
    .get(instance, from, to)
  return row && { at: String(row['ended']), good: row['state'] === 'succeeded' }
}
