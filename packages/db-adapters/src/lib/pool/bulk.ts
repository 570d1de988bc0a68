import type { Model, ObjectModel } from '@steward/rest-core'
import type { SchemaConnection } from '../schema/connection.js'

/** How a server reads, and is filled with, whole databases. The connection is closed afterwards. */
export interface BulkDialect {
  /** Statements that start a transaction which sees one moment. */
  readonly beginSnapshot: readonly string[]
  /**
   * Runs work that inserts rows as one transaction: references are checked at its end, and generated row ids continue
   * after those that were inserted. @throws StoreError
   */
  load<T>(connection: SchemaConnection, model: Model, work: () => Promise<T>): Promise<T>
  /** What has to be done before rows of another object than `before` are loaded. */
  readonly beforeRows?: (
    connection: SchemaConnection,
    object: ObjectModel,
    before: ObjectModel | undefined,
  ) => Promise<void>
}

/** Runs the work between `begin` and `commit`. */
export async function inTransaction<T>(connection: SchemaConnection, work: () => Promise<T>): Promise<T> {
  await connection.run('begin')
  try {
    const result = await work()
    await connection.run('commit')
    return result
  } catch (error) {
    // A connection that is lost rolls back by itself, and its error is not the one to report.
    await connection.run('rollback').catch(() => undefined)
    throw error
  }
}
