import pg from 'pg'
import type { Target } from '../databases.ts'
import { keepTexts } from '../drivers.ts'
import { inputFields } from '../model.ts'
import { fromValues, now, user } from './item.ts'
import type { RawItems } from './raw.ts'
import { join, select, selectLookingUp, written } from './sql.ts'

/** Connections: a few, so that server and database need not wait for each other. */
const connections = 8

export async function openItems({ url }: Target): Promise<RawItems> {
  keepTexts(pg.types)
  const idle = await Promise.all(
    Array.from({ length: connections }, async () => {
      const client = new pg.Client(url)
      await client.connect()
      return client
    }),
  )
  const waiting: ((client: pg.Client) => void)[] = []
  const query = async (name: string, text: string, values: unknown[]) => {
    const client = idle.pop() ?? (await new Promise<pg.Client>((resolve) => waiting.push(resolve)))
    try {
      const { rows } = await client.query<unknown[]>({ name, text, values, rowMode: 'array' })
      return rows.map(fromValues)
    } finally {
      const next = waiting.shift()
      if (next === undefined) idle.push(client)
      else next(client)
    }
  }

  const places = written.map((_, index) => `$${index + 1}`).join(', ')
  const insert = `with i as (insert into item (${written.join(', ')}) values (${places}) returning *) ${select} from i ${join}`
  const change =
    'with i as (update item set itm_qty = coalesce($1, itm_qty), itm_name = coalesce($2, itm_name), ' +
    `updated_dt = $3, updated_by = $4 where row_id = $5 returning *) ${select} from i ${join}`

  return {
    get: async (rowId) => (await query('get', `${select} from item i ${join} where i.row_id = $1`, [rowId]))[0],
    search({ status, name, category, size, offset }) {
      if (category !== undefined) {
        const either = '(i.itm_name collate "C" ilike $2 or c.cat_name = $3)'
        const found = `from item i ${join} where i.itm_status = $1 and ${either}`
        const page = `order by i.row_id limit ${size} offset ${offset}`
        return query(`either ${size} ${offset}`, `${select} ${found} ${page}`, [status, name, category])
      }
      const all = status === undefined || name === undefined
      const where = all ? '' : 'where i.itm_status = $1 and i.itm_name collate "C" ilike $2'
      // The name is looked up row by row: for a join, the planner would read the whole category table.
      // The limit is part of the text: without knowing it, the planner expects a tenth of all rows.
      const text = `${selectLookingUp} from item i ${where} order by i.row_id limit ${size} offset ${offset}`
      return query(`${all ? 'page' : 'filtered'} ${size} ${offset}`, text, all ? [] : [status, name])
    },
    async create(values) {
      const time = now()
      const parameters = [...inputFields.map((name) => values[name]), time, user, time, user]
      return (await query('create', insert, parameters))[0] ?? {}
    },
    update: async (rowId, { itm_qty, itm_name }) =>
      (await query('update', change, [itm_qty, itm_name, now(), user, rowId]))[0],
  }
}
