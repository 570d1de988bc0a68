import { readDigits } from '@steward/rest-core'
import { decodeDecimal, encodeDecimal } from '../store/decimal.js'
import type { ChangeOf } from '../../schema/changes.js'
import type { SchemaConnection, SchemaValue } from '../../schema/connection.js'
import type { ColumnPlace } from '../../schema/dialect.js'
import { number } from '../../schema/rows.js'
import type { ColumnFamily } from '../../schema/table-info.js'
import { quote } from '../../sql/text.js'

/** Whether the sortable text form of decimals comes or goes with this change; SQL can neither read nor write it. */
export function needsDecimalConversion({ actual, wanted }: ChangeOf<'changeColumn'>): boolean {
  return actual.type.kind === 'decimalText' || wanted.family.kind === 'decimalText'
}

/**
 * Works out the new form of every value of a column.
 *
 * @returns the expression that gives it in a select from the table; `end` removes what that needs
 */
export async function convertDecimals(
  connection: SchemaConnection,
  table: string,
  change: ChangeOf<'changeColumn'>,
): Promise<{ expression: string; end: () => Promise<void> }> {
  const column = quote(change.column)
  const values = `temp.${quote(`stw_values_${change.column}`)}`
  await connection.run(`create table ${values} (old primary key, new) without rowid`)
  const found = await connection.rows(
    `select distinct ${column} as old from ${quote(table)} where ${column} is not null`,
  )
  for (const { old } of found) {
    const value = converted(old as SchemaValue, change)
    if (value !== null) await connection.run(`insert into ${values} values (?, ?)`, [old as SchemaValue, value])
  }
  return {
    expression: `(select v.new from ${values} v where v.old = ${quote(table)}.${column})`,
    end: () => connection.run(`drop table ${values}`),
  }
}

/** How many values of a column its new form would not hold as they are. */
export async function countLostDecimals(
  connection: SchemaConnection,
  { table, column }: ColumnPlace,
  change: ChangeOf<'changeColumn'>,
): Promise<number> {
  const found = await connection.rows(
    `select ${quote(column)} as old, count(*) as n from ${quote(table)} where ${quote(column)} is not null group by 1`,
  )
  const lost = found.filter(({ old }) => {
    const text = textOf(old as SchemaValue, change)
    const fitting = cut(text, change.wanted.family)
    return fitting === undefined || JSON.stringify(readDigits(fitting)) !== JSON.stringify(readDigits(text))
  })
  return lost.reduce((sum, row) => sum + (number(row, 'n') ?? 0), 0)
}

function textOf(value: SchemaValue, { actual }: ChangeOf<'changeColumn'>): string {
  return actual.type.kind === 'decimalText' ? (decodeDecimal(String(value)) ?? '') : String(value).trim()
}

function converted(value: SchemaValue, change: ChangeOf<'changeColumn'>): string | number | null {
  const { wanted } = change
  const fitting = cut(textOf(value, change), wanted.family)
  if (fitting === undefined) return null
  if (wanted.family.kind === 'decimalText') return encodeDecimal(fitting) ?? null
  return wanted.family.kind === 'string' ? fitting : Number(fitting) + 0
}

/** The number with as many digits as the type has; undefined when those before the point are too many. */
function cut(text: string, to: ColumnFamily): string | undefined {
  const digits = readDigits(text)
  if (!digits || !['decimal', 'decimalText', 'integer', 'string'].includes(to.kind)) return undefined
  if (to.kind === 'string') return text.slice(0, to.length)
  const scale = to.kind === 'decimal' || to.kind === 'decimalText' ? (to.scale ?? 0) : 0
  const most = to.kind === 'decimal' || to.kind === 'decimalText' ? (to.precision ?? 15) - scale : 15
  if (digits.whole !== '0' && digits.whole.length > most) return undefined
  const fraction = digits.fraction.slice(0, scale)
  return `${digits.negative ? '-' : ''}${digits.whole}${fraction === '' ? '' : `.${fraction}`}`
}
