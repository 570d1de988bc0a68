import type { Knex } from 'knex'
import { inputFields, type ItemInput, type ItemRecord } from '../model.ts'

/** A row of `item` with the joined name, as the drivers give it. */
export interface JoinedRow extends Omit<ItemRecord, 'row_id' | 'itm_active' | 'itm_category_id'> {
  row_id: number
  itm_active: boolean | number
  itm_category_id: number
}

/** Row to record: ids become strings, booleans become real ones, technical columns are left out. */
export function toRecord(row: JoinedRow): ItemRecord {
  return {
    row_id: String(row.row_id),
    itm_code: row.itm_code,
    itm_name: row.itm_name,
    itm_desc: row.itm_desc,
    itm_price: row.itm_price,
    itm_qty: row.itm_qty,
    itm_active: Boolean(row.itm_active),
    itm_status: row.itm_status,
    itm_date: row.itm_date,
    itm_dt: row.itm_dt,
    itm_category_id: String(row.itm_category_id),
    itm_category_id__cat_name: row.itm_category_id__cat_name,
  }
}

/** The same for a row that came as an array of its columns, in the order of the record. */
export function fromValues(values: readonly unknown[]): ItemRecord {
  return {
    row_id: String(values[0]),
    itm_code: values[1],
    itm_name: values[2],
    itm_desc: values[3],
    itm_price: values[4],
    itm_qty: values[5],
    itm_active: Boolean(values[6]),
    itm_status: values[7],
    itm_date: values[8],
    itm_dt: values[9],
    itm_category_id: String(values[10]),
    itm_category_id__cat_name: values[11],
  } as ItemRecord
}

/** Only the fields that a client may send. */
export function pickInput(body: unknown): Partial<ItemInput> {
  const given = (body ?? {}) as Partial<Record<string, unknown>>
  return Object.fromEntries(inputFields.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]))
}

/** Now, as datetimes are stored. */
export function now(): string {
  return new Date().toISOString().slice(0, 19).replace('T', ' ')
}

export const user = 'bench'

/** `like` regardless of the case of letters; text columns of MySQL are compared byte by byte. */
export function whereLike(query: Knex.QueryBuilder, column: string, pattern: string): Knex.QueryBuilder {
  const isMysql = query.client.config.client === 'mysql2'
  return isMysql ? query.whereRaw('lower(??) like lower(?)', [column, pattern]) : query.whereILike(column, pattern)
}

const either = /^\(itm_name like '(.*)' or itm_category_id__cat_name = '(.*)'\) and itm_status = '(.*)'$/

/** Pattern of the name, name of the category and status in the one `_filter` that is measured. */
export function eitherOf(filter = ''): readonly (string | undefined)[] {
  return either.exec(filter) ?? []
}
