/**
 * The object that is measured and the one it refers to, as Steward defines them. The tables of all servers are made from this.
 * An item is answered as `{row_id, itm_code … itm_category_id, itm_category_id__cat_name}`, in this order.
 */
export const model = [
  {
    name: 'Category',
    table: 'category',
    fields: {
      cat_code: { type: 'string', length: 10, key: true },
      cat_name: { type: 'string', length: 100 },
    },
  },
  {
    name: 'Item',
    table: 'item',
    fields: {
      itm_code: { type: 'string', length: 20, key: true },
      itm_name: { type: 'string', length: 100, required: true },
      itm_desc: { type: 'text' },
      itm_price: { type: 'decimal', precision: 10, scale: 2 },
      itm_qty: { type: 'integer', precision: 9 },
      itm_active: { type: 'boolean' },
      itm_status: { type: 'enum', values: ['A', 'B', 'C', 'D'] },
      itm_date: { type: 'date' },
      itm_dt: { type: 'datetime' },
      itm_category_id: { type: 'reference', object: 'Category', display: ['cat_name'] },
    },
    crosstabs: {
      own: {
        lines: ['itm_status'],
        columns: [{ field: 'itm_date', by: 'year' }],
        values: [{ function: 'count' }, { function: 'sum', field: 'itm_price' }, { function: 'avg', field: 'itm_qty' }],
      },
      joined: {
        lines: ['itm_category_id__cat_name'],
        values: [{ function: 'count' }, { function: 'sum', field: 'itm_price' }],
      },
    },
  },
] as const

const lineFields = {
  lin_order: { type: 'integer', precision: 9, required: true },
  lin_no: { type: 'integer', precision: 9, required: true },
  lin_text: { type: 'string', length: 100 },
  lin_price: { type: 'decimal', precision: 10, scale: 2 },
  lin_qty: { type: 'integer', precision: 9 },
  lin_date: { type: 'date' },
  lin_category_id: { type: 'reference', object: 'Category', display: ['cat_name'] },
} as const

/** The same object twice: with a row id of its own, and identified by two of its fields. */
export const lines = [
  { name: 'Line', table: 'line', fields: lineFields },
  {
    name: 'KeyedLine',
    table: 'keyed_line',
    fields: { row_id: { type: 'id', fields: ['lin_order', 'lin_no'] }, ...lineFields },
  },
] as const

/** An item as every server answers it. */
export interface ItemRecord {
  row_id: string
  itm_code: string
  itm_name: string
  itm_desc: string
  itm_price: number
  itm_qty: number
  itm_active: boolean
  itm_status: 'A' | 'B' | 'C' | 'D'
  /** `yyyy-MM-dd` */
  itm_date: string
  /** `yyyy-MM-dd HH:mm:ss` */
  itm_dt: string
  itm_category_id: string
  itm_category_id__cat_name: string
}

export type ItemInput = Omit<ItemRecord, 'row_id' | 'itm_category_id__cat_name'>

/** Fields of an item that a client may send, in order; each is a column of the same name. */
export const inputFields = Object.keys(model[1].fields) as (keyof ItemInput)[]
