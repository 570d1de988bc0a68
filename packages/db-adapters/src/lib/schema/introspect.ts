import type { Introspection } from '@steward/rest-core'
import type { SchemaConnection } from './connection.js'
import type { Catalogue, SchemaDialect } from './dialect.js'
import { define, serve } from './introspect-table.js'
import { lookupIn } from './lookup.js'
import { objectName, uniqueNames } from './object-names.js'
import type { ServedTable } from './served-table.js'

/** Tables that tools keep for themselves. */
const toolTable = /^(knex_|sqlite_)/i

/** Object definitions of the tables that are there; what cannot be served is listed with its reason, never an error. */
export async function introspect(connection: SchemaConnection, dialect: SchemaDialect): Promise<Introspection> {
  const catalogue = await dialect.read(connection)
  const { refine, otherSchemas } = dialect.introspection
  const { objects, skipped } = describe((await refine?.(connection, catalogue)) ?? catalogue, dialect)
  const others = ((await otherSchemas?.(connection)) ?? []).map(({ name, tables, current }) => ({
    table: `${name}.*`,
    reason: `only the schema "${current}" is served, and this one has ${tables === 1 ? 'a table' : `${tables} tables`}`,
  }))
  return { objects, skipped: [...skipped, ...others] }
}

/** The same from tables that have been read; pure. */
export function describe(catalogue: Catalogue, dialect: SchemaDialect): Introspection {
  const { foldTable } = lookupIn(catalogue)
  const giveName = uniqueNames([], '')
  const served = new Map<string, ServedTable>()
  const skipped: { table: string; column?: string; reason: string }[] = []
  for (const info of catalogue.tables) {
    if (toolTable.test(info.name)) continue
    const result = serve(info, objectName(info.name), dialect)
    if (typeof result === 'string') {
      skipped.push({ table: info.name, reason: result })
      continue
    }
    served.set(foldTable(info.name), { ...result, object: giveName(result.object) })
    skipped.push(...result.leftOut.map((column) => ({ table: info.name, ...column })))
  }
  const find = (name: string): ServedTable | undefined => served.get(foldTable(name))
  return { objects: [...served.values()].map((table) => define(table, find, dialect)), skipped }
}
