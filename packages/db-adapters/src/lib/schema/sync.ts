import type { Model, SyncPlan } from '@steward/rest-core'
import { StoreError } from '@steward/rest-core/errors'
import type { SchemaConnection } from './connection.js'
import type { SchemaDialect } from './dialect.js'

/**
 * What `applySync` would do, without `destructive`.
 *
 * @throws StoreError `schema` when a table cannot serve its object at all, e.g. its row id column is missing.
 */
export async function planSync(_model: Model, _connection: SchemaConnection, dialect: SchemaDialect): Promise<SyncPlan> {
  throw new StoreError('internal', `Cannot plan a sync on ${dialect.name} yet.`)
}

/**
 * Makes tables, columns, indexes and foreign keys follow the model, and tells what was done. Several servers may call
 * it at the same time: a lock of the database lets one after the other in.
 *
 * @throws StoreError `schema` when steps could lose data and `destructive` is not set, or when rows break a new unique
 * index or foreign key; nothing is changed then.
 */
export async function applySync(
  _model: Model,
  _connection: SchemaConnection,
  dialect: SchemaDialect,
  _options: { readonly destructive?: boolean } = {},
): Promise<SyncPlan> {
  throw new StoreError('internal', `Cannot sync on ${dialect.name} yet.`)
}
