import type { Knex } from 'knex'
import type { ItemInput } from './model.ts'

export const categoryCount = 1000

/** Words of the names; each is in about one name of twelve. */
export const words = (
  'amber anchor apple arrow autumn bamboo barrel basket beacon birch bottle bronze candle canvas cedar cherry clover cobalt ' +
  'copper coral cotton crystal ember feather fossil garnet ginger harbor hazel indigo ivory jasper lantern linen maple marble'
).split(' ')

/** Row of the table, with the technical columns. */
export type ItemRow = ItemInput & Stamps

interface Stamps {
  created_dt: string
  created_by: string
  updated_dt: string
  updated_by: string
}

const stamps: Stamps = {
  created_dt: '2024-01-01 00:00:00',
  created_by: 'bench',
  updated_dt: '2024-01-01 00:00:00',
  updated_by: 'bench',
}

/** Fills empty tables; row ids count from 1. The same number of items gives the same data, always and everywhere. */
export async function fillTables(db: Knex, items: number): Promise<void> {
  const categories = Array.from({ length: categoryCount }, (_, index) => ({
    cat_code: `C${String(index + 1).padStart(4, '0')}`,
    cat_name: `Category ${index + 1}`,
    ...stamps,
  }))
  await db.batchInsert('category', categories, 500)
  const random = generator(42)
  for (let first = 1; first <= items; first += 10_000) {
    const length = Math.min(10_000, items - first + 1)
    const rows = Array.from({ length }, (_, index): ItemRow => ({ ...item(first + index, random), ...stamps }))
    await db.batchInsert('item', rows, 500)
  }
  const ids = await db('item').min('row_id as least').max('row_id as most').count('* as count').first()
  if (Number(ids?.['least']) !== 1 || Number(ids?.['most']) !== items || Number(ids?.['count']) !== items) {
    throw new Error(`The row ids of the filled table are not 1 to ${items}: ${JSON.stringify(ids)}`)
  }
}

export type Random = (below: number) => number

export function item(id: number, random: Random): ItemInput {
  const text = (count: number) => Array.from({ length: count }, () => words[random(words.length)]).join(' ')
  const day = `20${two(15 + random(10))}-${two(1 + random(12))}-${two(1 + random(28))}`
  return {
    itm_code: `I${String(id).padStart(6, '0')}`,
    itm_name: text(3 + random(2)),
    itm_desc: text(12),
    itm_price: (100 + random(99_900)) / 100,
    itm_qty: random(1000),
    itm_active: random(2) === 1,
    itm_status: (['A', 'B', 'C', 'D'] as const)[random(4)] ?? 'A',
    itm_date: day,
    itm_dt: `${day} ${two(random(24))}:${two(random(60))}:${two(random(60))}`,
    itm_category_id: String(1 + random(categoryCount)),
  }
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}

/** mulberry32: small, and the same numbers everywhere. */
export function generator(seed: number): Random {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * below) | 0
  }
}
