import { createPool, type ResultSetHeader, type RowDataPacket } from 'mysql2/promise'
import type { Target } from '../databases.ts'
import { mysqlTexts } from '../drivers.ts'
import { inputFields } from '../model.ts'
import { now, toRecord, user, type JoinedRow } from './item.ts'
import type { RawItems } from './raw.ts'

const columns = ['row_id', ...inputFields].map((name) => `i.${name}`).join(', ')
const joined = `select ${columns}, c.cat_name as itm_category_id__cat_name`
const join = 'left join category c on c.row_id = i.itm_category_id'

export async function openItems({ url }: Target): Promise<RawItems> {
  const pool = createPool({ uri: url, connectionLimit: 4, ...mysqlTexts })
  const query = async (text: string, values: (string | number)[]) => {
    const [rows] = await pool.execute<(JoinedRow & RowDataPacket)[]>(text, values)
    return rows.map(toRecord)
  }
  const find = async (rowId: string | number) =>
    (await query(`${joined} from item i ${join} where i.row_id = ?`, [rowId]))[0]

  const written = [...inputFields, 'created_dt', 'created_by', 'updated_dt', 'updated_by']
  const insert = `insert into item (${written.join(', ')}) values (${written.map(() => '?').join(', ')})`
  const change =
    'update item set itm_qty = coalesce(?, itm_qty), itm_name = coalesce(?, itm_name), updated_dt = ?, updated_by = ? where row_id = ?'

  return {
    get: find,
    search({ status, name, size, offset }) {
      const all = status === undefined || name === undefined
      const where = all ? '' : 'where i.itm_status = ? and lower(i.itm_name) like lower(?)'
      // Not the page before the join as on PostgreSQL: a derived table with a text column would be written to disk.
      const page = `order by i.row_id limit ${size} offset ${offset}`
      return query(`${joined} from item i ${join} ${where} ${page}`, all ? [] : [status, name])
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
