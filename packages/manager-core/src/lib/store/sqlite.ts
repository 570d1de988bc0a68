import type { DatabaseSync } from 'node:sqlite'

/**
 * Key of the connection in a registry, for the files of this folder: all SQL on the registry is here. The linter refuses
 * it elsewhere.
 */
export const sqlite: unique symbol = Symbol.for('@steward/manager-core registry')

/** A registry, for files that query it. */
export interface Queryable {
  readonly [sqlite]: DatabaseSync
}
