import type { Change } from './changes.js'
import type { SchemaConnection } from './connection.js'
import type { SchemaDialect } from './dialect.js'
import { runChange } from './run-change.js'

export interface TransactionWords {
  readonly begin: string
  readonly commit: string
  readonly rollback: string
}

/** Changes of a database whose DDL a rollback undoes, and which needs nothing but the change to say its statements. */
export function changesByStatements(
  statementsOf: (change: Change) => readonly string[],
  { begin, commit }: TransactionWords,
): Pick<SchemaDialect, 'apply' | 'script'> {
  return {
    async apply(connection, changes) {
      for (const change of changes) {
        await runChange(change, true, async () => {
          for (const sql of statementsOf(change)) await connection.run(sql)
        })
      }
    },
    async script(_, changes) {
      const statements = changes.flatMap((change) => statementsOf(change).map((sql) => ({ sql, changes: [change] })))
      return [{ sql: begin, changes: [] }, ...statements, { sql: commit, changes: [] }]
    },
  }
}

/** Runs `work` in the transaction that was started, and ends it. */
export async function endTransaction<T>(
  connection: SchemaConnection,
  { commit, rollback }: Omit<TransactionWords, 'begin'>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    const result = await work()
    await connection.run(commit)
    return result
  } catch (error) {
    // A connection that is lost rolls back by itself, and its error is not the one to report.
    await connection.run(rollback).catch(() => undefined)
    throw error
  }
}
