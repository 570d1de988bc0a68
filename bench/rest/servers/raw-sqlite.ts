import Database from 'better-sqlite3'
import type { Target } from '../databases.ts'
import { sqlitePragmas } from '../drivers.ts'
import { inputFields, type ItemInput } from '../model.ts'
import { fromValues, now, user } from './item.ts'
import type { RawItems } from './raw.ts'
import { join, select, written } from './sql.ts'

export async function openItems({ url }: Target): Promise<RawItems> {
  const db = new Database(url)
  for (const pragma of sqlitePragmas) db.pragma(pragma)
  // A bare `= ?` on an indexed column makes this build of SQLite compile the statement again for each new value; `+?` does not.
  const get = db.prepare<[number], unknown[]>(`${select} from item i ${join} where i.row_id = +?`)
  const page = db.prepare<[number, number], unknown[]>(
    `${select} from item i ${join} order by i.row_id limit ? offset ?`,
  )
  const filtered = db.prepare<[string, string, number, number], unknown[]>(
    `${select} from item i ${join} where i.itm_status = +? and i.itm_name like ? order by i.row_id limit ? offset ?`,
  )
  const either = db.prepare<[string, string, string, number, number], unknown[]>(
    `${select} from item i ${join} where i.itm_status = +? and (i.itm_name like ? or c.cat_name = +?) order by i.row_id limit ? offset ?`,
  )
  for (const statement of [get, page, filtered, either]) statement.raw()
  const insert = db.prepare(`insert into item (${written.join(', ')}) values (${written.map(() => '?').join(', ')})`)
  const change = db.prepare(
    'update item set itm_qty = coalesce(?, itm_qty), itm_name = coalesce(?, itm_name), updated_dt = ?, updated_by = ? where row_id = ?',
  )
  const find = (rowId: number) => {
    const row = get.get(rowId)
    return row === undefined ? undefined : fromValues(row)
  }
  return {
    get: (rowId) => find(Number(rowId)),
    search({ status, name, category, size, offset }) {
      const rows =
        status === undefined || name === undefined
          ? page.all(size, offset)
          : category === undefined
            ? filtered.all(status, name, size, offset)
            : either.all(status, name, category, size, offset)
      return rows.map(fromValues)
    },
    create(values) {
      const time = now()
      const { lastInsertRowid } = insert.run(...inputFields.map((name) => stored(values[name])), time, user, time, user)
      return find(Number(lastInsertRowid)) ?? {}
    },
    update(rowId, { itm_qty, itm_name }) {
      change.run(itm_qty ?? null, itm_name ?? null, now(), user, Number(rowId))
      return find(Number(rowId))
    },
  }
}

function stored(value: ItemInput[keyof ItemInput]): string | number {
  return typeof value === 'boolean' ? Number(value) : value
}
