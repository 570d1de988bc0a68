import type { Introspection } from '@steward/rest-core'
import { StoreError } from '@steward/rest-core/errors'
import type { SchemaConnection } from './connection.js'
import type { SchemaDialect } from './dialect.js'

/** Object definitions of the tables that are there; what cannot be served is listed with its reason, never an error. */
export async function introspect(_connection: SchemaConnection, dialect: SchemaDialect): Promise<Introspection> {
  throw new StoreError('internal', `Cannot introspect ${dialect.name} yet.`)
}
