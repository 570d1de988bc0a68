import { createPool, type ResultSetHeader, type RowDataPacket } from 'mysql2/promise'
import type { Target } from '../databases.ts'
import { mysqlTexts } from '../drivers.ts'
import { inputFields } from '../model.ts'
import { fromValues, now, user } from './item.ts'
import type { RawItems } from './raw.ts'
import { join, select, written } from './sql.ts'

export async function openItems({ url }: Target): Promise<RawItems> {
  const pool = createPool({ uri: url, connectionLimit: 4, ...mysqlTexts })
  const query = async (text: string, values: (string | number)[]) => {
    const [rows] = await pool.execute<RowDataPacket[][]>({ sql: text, rowsAsArray: true }, values)
    return rows.map(fromValues)
  }
  const find = async (rowId: string | number) =>
    (await query(`${select} from item i ${join} where i.row_id = ?`, [rowId]))[0]

  const insert = `insert into item (${written.join(', ')}) values (${written.map(() => '?').join(', ')})`
  const change =
    'update item set itm_qty = coalesce(?, itm_qty), itm_name = coalesce(?, itm_name), updated_dt = ?, updated_by = ? where row_id = ?'

  return {
    get: find,
    search({ status, name, category, size, offset }) {
      const all = status === undefined || name === undefined
      const like = 'lower(i.itm_name) like lower(?)'
      const where = all
        ? ''
        : `where i.itm_status = ? and ${category === undefined ? like : `(${like} or c.cat_name = ?)`}`
      // Joined as it is read: a page that is joined afterwards would go through a file, because of its text column.
      const page = `order by i.row_id limit ${size} offset ${offset}`
      return query(
        `${select} from item i ${join} ${where} ${page}`,
        all ? [] : [status, name, ...(category === undefined ? [] : [category])],
      )
    },
    async create(values) {
      const time = now()
      const given = inputFields
        .map((name) => values[name])
        .map((value) => (typeof value === 'boolean' ? Number(value) : value))
      const [{ insertId }] = await pool.execute<ResultSetHeader>(insert, [...given, time, user, time, user])
      return (await find(insertId)) ?? {}
    },
    async update(rowId, { itm_qty, itm_name }) {
      await pool.execute(change, [itm_qty ?? null, itm_name ?? null, now(), user, rowId])
      return find(rowId)
    },
  }
}
