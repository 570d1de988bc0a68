import type { StoreSession } from '@steward/rest-core'
import type { StoreError } from '@steward/rest-core/errors'
import type { SchemaConnection } from '../schema/connection.js'
import type { Compiler } from '../sql/compiler.js'

/** A connection within a transaction that other code started. */
export interface JoinedConnection {
  readonly usable: boolean
  readonly schema: SchemaConnection
  /** For one call. `failure`: of a statement in it, however the call continued. */
  session(compiler: Compiler): {
    readonly session: StoreSession
    readonly failure?: StoreError | undefined
    end(): void
  }
  /** Sets a savepoint and what statements need. @throws StoreError when no transaction is open */
  enter(): Promise<void>
  /** Puts settings back, and keeps what was done since `enter`. */
  leave(): Promise<void>
  /** Puts settings back, and undoes what was done since `enter`. */
  undo(): Promise<void>
}
