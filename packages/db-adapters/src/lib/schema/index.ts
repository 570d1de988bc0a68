/**
 * Tables from models and models from tables. An adapter calls these with a session of its own:
 *
 * ```ts
 * const plan = await planSync(model, connection, sqliteSchema)
 * const done = await applySync(model, connection, sqliteSchema, { destructive: false })
 * const found = await introspect(connection, sqliteSchema)
 * ```
 */
export type { SchemaConnection, SchemaRow, SchemaValue } from './connection.js'
export type { SchemaDialect } from './dialect.js'
export { introspect } from './introspect.js'
export { mysqlSchema } from '../mysql/schema/dialect.js'
export { postgresqlSchema } from '../postgresql/schema/dialect.js'
export { sqliteSchema } from '../sqlite/schema/dialect.js'
export { applySync, planSync } from './sync.js'
