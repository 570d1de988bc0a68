import type { IntrospectOptions, Introspection } from '@steward/rest-core'
import { StoreError } from '@steward/rest-core/errors'
import type { SchemaConnection } from './connection.js'
import type { Catalogue, SchemaDialect, SchemaInfo } from './dialect.js'
import { identifyRows, type FoundKey } from './identify-rows.js'
import { define, isFixed, serve } from './introspect-table.js'
import { lookupIn } from './lookup.js'
import { objectName, uniqueNames } from './object-names.js'
import type { ServedTable } from './served-table.js'
import type { TableInfo } from './table-info.js'

/** Tables that tools keep for themselves. */
const toolTable = /^(knex_|sqlite_)/i

/**
 * Object definitions of the tables that are there; what cannot be served is listed with its reason, never an error.
 *
 * @throws StoreError `schema` for a schema that is not there
 */
export async function introspect(
  connection: SchemaConnection,
  dialect: SchemaDialect,
  { schemas }: IntrospectOptions = {},
): Promise<Introspection> {
  const { refine, schemas: readSchemas } = dialect.introspection
  const known = (await readSchemas?.(connection)) ?? []
  if (schemas) checkSchemas(schemas, known)
  const read = await dialect.read(connection, schemas)
  const catalogue = (await refine?.(connection, read)) ?? read
  const { objects, skipped, notes } = describe(catalogue, dialect, await identifyRows(connection, catalogue, dialect))
  const served = schemas ?? known.filter(({ isDefault }) => isDefault).map(({ name }) => name)
  const others = known.filter(({ name, tables }) => tables > 0 && !served.includes(name))
  return { objects, notes, skipped: [...skipped, ...others.map((other) => leftOut(other, served))] }
}

function checkSchemas(schemas: readonly string[], known: readonly SchemaInfo[]): void {
  const missing = schemas.find((name) => !known.some((schema) => schema.name === name))
  if (missing === undefined) return
  const reason =
    known.length === 0
      ? 'This database has no schemas.'
      : `There are: ${known.map(({ name }) => name).join(', ')} (those that this user may see).`
  throw new StoreError('schema', `There is no schema "${missing}". ${reason}`)
}

function leftOut({ name, tables }: SchemaInfo, served: readonly string[]): { table: string; reason: string } {
  const list = served.map((each) => `"${each}"`).join(', ')
  const are = served.length === 1 ? `schema ${list} is` : `schemas ${list} are`
  return {
    table: `${name}.*`,
    reason: `only the ${are} served, and this one has ${tables === 1 ? 'a table' : `${tables} tables`}`,
  }
}

/** The same from tables that have been read; pure. */
export function describe(
  catalogue: Catalogue,
  dialect: SchemaDialect,
  keys: ReadonlyMap<TableInfo, FoundKey | string> = new Map(),
): Required<Introspection> {
  const { foldTable, table } = lookupIn(catalogue)
  const giveName = uniqueNames([], '')
  const served = new Map<string, ServedTable>()
  const skipped: { table: string; column?: string; reason: string }[] = []
  const notes: { table: string; text: string }[] = []
  const bareNames = Map.groupBy(catalogue.tables, (info) => objectName(bareName(info)).toLowerCase())
  for (const info of catalogue.tables) {
    if (toolTable.test(bareName(info))) continue
    const isAlone = bareNames.get(objectName(bareName(info)).toLowerCase())?.length === 1
    const key = keys.get(info)
    const result = serve(info, objectName(isAlone ? bareName(info) : info.name), dialect, key)
    if (typeof result === 'string') {
      skipped.push({ table: info.name, reason: result })
      continue
    }
    served.set(foldTable(info.name), { ...result, object: giveName(result.object) })
    skipped.push(...result.leftOut.map((column) => ({ table: info.name, ...column })))
    if (result.isGuessed) notes.push({ table: info.name, text: guessText(result) })
    else if (info.children) notes.push({ table: info.name, text: childrenText(info.children) })
  }
  if (!dialect.introspection.foreignKeysFit)
    for (const info of catalogue.tables) for (const text of misfits(info, table)) notes.push({ table: info.name, text })
  const find = (name: string): ServedTable | undefined => served.get(foldTable(name))
  return { objects: [...served.values()].map((table) => define(table, find, dialect)), skipped, notes }
}

function bareName({ name, schema }: TableInfo): string {
  return schema === undefined ? name : name.slice(schema.length + 1)
}

/** Foreign keys for which the database refuses all writes of both tables. */
function misfits({ foreignKeys }: TableInfo, find: (name: string) => TableInfo | undefined): string[] {
  return foreignKeys.flatMap(({ columns, table, targetColumns }) => {
    const key = `its foreign key (${columns.join(', ')})`
    const refused = 'the database refuses to change records of both'
    const target = find(table)
    if (!target) return [`${key} refers to "${table}", which is missing: the database refuses to change its records`]
    const keys = [
      target.primaryKey,
      ...target.indexes.filter(({ unique, plain }) => unique && plain).map((index) => index.columns),
    ]
    const named = targetColumns.map((name) => name.toLowerCase())
    const fits =
      named.length > 0 &&
      keys.some((each) => each.length === named.length && each.every((name) => named.includes(name.toLowerCase())))
    return fits
      ? []
      : [
          `${key} refers to (${targetColumns.join(', ')}) of "${table}", which is not a key there: ${refused}. Add a unique index to it`,
        ]
  })
}

function childrenText(children: readonly string[]): string {
  return `tables inherit from it (${children.join(', ')}), and its key does not hold for their rows; a write that meets several rows is undone`
}

function guessText(table: ServedTable): string {
  const change = isFixed(table) ? ', and they cannot be changed' : ''
  return `no key is declared; rows are known by "${table.id.columns[0]}", whose values differ now${change}. A definition says what else identifies them ("column" or "fields" of "row_id")`
}
