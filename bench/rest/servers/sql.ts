import { inputFields } from '../model.ts'

const columns = ['row_id', ...inputFields].map((name) => `i.${name}`).join(', ')

/** Columns of the record from the item `i` and its category `c`. */
export const select = `select ${columns}, c.cat_name as itm_category_id__cat_name`

export const join = 'left join category c on c.row_id = i.itm_category_id'

/** The same columns from the item alone. */
export const selectLookingUp = `select ${columns}, (select cat_name from category c where c.row_id = i.itm_category_id)`

/** Columns that a new row gets. */
export const written = [...inputFields, 'created_dt', 'created_by', 'updated_dt', 'updated_by']
