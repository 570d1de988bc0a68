import type { ObjectModel } from '@steward/rest-core'
import { StoreError } from '@steward/rest-core/errors'
import { exactKeyColumns } from '../sql/columns.js'
import type { SchemaConnection, SchemaRow } from './connection.js'
import type { SchemaDialect } from './dialect.js'
import { text } from './rows.js'

/**
 * Whether a row id of the object has at most one row, by the database's own promise. False when the database does not say,
 * as below.
 */
export async function isUnique(
  connection: SchemaConnection,
  { uniqueKeys }: SchemaDialect,
  { id, table }: ObjectModel,
): Promise<boolean> {
  const ids = new Set(exactKeyColumns(id).map((name) => name.toLowerCase()))
  return known(async () => {
    const keys = (await uniqueKeys?.(connection, table)) ?? []
    return keys.some((key) => key.length > 0 && key.every((name) => ids.has(name.toLowerCase())))
  })
}

/** Whether an insert of the object makes a row of its table. */
export async function keepsInserts(
  connection: SchemaConnection,
  dialect: SchemaDialect,
  { table }: ObjectModel,
): Promise<boolean> {
  return known(async () => (await dialect.keepsInserts?.(connection, table)) ?? false)
}

async function known(ask: () => Promise<boolean>): Promise<boolean> {
  try {
    return await ask()
  } catch (error) {
    if (StoreError.is(error) && !error.retry) return false
    throw error
  }
}

/** The columns of each key, from rows of a key's `name` and a `column`. */
export function keysOf(rows: readonly SchemaRow[]): string[][] {
  const keys = Map.groupBy(rows, (row) => text(row, 'name'))
  return [...keys.values()].map((members) => members.map((row) => text(row, 'column')))
}

/** What a write gets that is undone, because its row id has several rows. */
export function severalRows({ table }: ObjectModel, rowId: string): StoreError {
  return new StoreError('rows', `Several rows of "${table}" have the row id "${rowId}"; the write is undone.`)
}

/** What an insert gets that is undone, because the table has no row of it. */
export function noRow({ table }: ObjectModel): StoreError {
  return new StoreError('rows', `"${table}" has no row of the insert; it is undone.`)
}
