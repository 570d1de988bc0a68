import type { StoreError } from '@steward/rest-core/errors'
import type { SchemaConnection } from '../schema/connection.js'
import type { BoundStatement } from '../sql/statement.js'

/** Rows with their values in the order of the statement's columns. */
export type Rows = readonly (readonly unknown[])[]

/** What a statement that gives no rows did. */
export interface WriteCounts {
  readonly affected: number
  /** Id that the database gave to an inserted row, as text; `'0'` when there was none. */
  readonly insertId: string
}

/** A driver's connection for the use of others. */
export interface Lent {
  /** To be called before each of their statements. */
  used(): void
  /** Makes a store's error of one of the driver. */
  translate(error: unknown): StoreError
}

/**
 * One session of a database server. Statements run one after the other in the order of the calls, whether or not the
 * earlier ones have been waited for. All methods reject with `StoreError` only.
 */
export interface ServerConnection extends SchemaConnection {
  /** False for ever once it was lost. */
  readonly usable: boolean
  /** The driver's. */
  readonly raw: object
  /** `affected` counts rows that triggers wrote, too. Absent: it does not. */
  readonly countsTriggers?: boolean
  /** The number that the column's own sequence gave last in this session. Absent: there is nothing to ask. */
  readonly lastId?: (table: string, column: string) => Promise<string | undefined>
  /** It is within a transaction that others start and end, or no longer. */
  join(isJoined: boolean): void
  /** Ends it, immediately when it was lost. Never rejects. */
  close(): Promise<void>
  query(call: BoundStatement): Promise<Rows>
  /**
   * The rows of one statement in batches of one or more, for a caller that takes them without delay. When it is not within
   * a transaction (`alone`), a caller that stops early may cost the connection.
   */
  page(call: BoundStatement, alone: boolean): AsyncGenerator<Rows, void, undefined>
  change(call: BoundStatement): Promise<WriteCounts>
  begin(): Promise<void>
  /** Once it rejects, the transaction is undone, or the connection is lost, and the error says that the outcome is unknown. */
  commit(): Promise<void>
  rollback(): Promise<void>
  /** The driver's connection, for statements of others between the calls, which wait for them. */
  lend(): Promise<Lent>
  /** Calls everything that listens on the channel, once the transaction is committed. Absent: the server has no such thing. */
  notify?(channel: string): Promise<void>
  /**
   * Rows in batches of one or more, within the running transaction. Other statements may run between two batches.
   * Its resources are released when the consumer stops; when this is the transaction's only statement (`alone`),
   * that may be done by giving up the connection.
   */
  stream(call: BoundStatement, alone: boolean): AsyncGenerator<Rows, void, undefined>
}
