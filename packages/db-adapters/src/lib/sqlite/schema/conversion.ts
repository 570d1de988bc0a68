import type { ColumnFamily } from '../../schema/table-info.js'
import { hasTime } from '../../schema/sql.js'
import { quote } from '../../sql/text.js'

/** Values of a column that fit its new type; texts are cut, whatever else does not fit becomes NULL. */
export function conversion(column: string, to: ColumnFamily): string {
  const value = quote(column)
  const trimmed = `trim(cast(${value} as text))`
  const number = numberOf(column)
  switch (to.kind) {
    case 'string':
      return to.length === undefined ? `cast(${value} as text)` : `substr(cast(${value} as text), 1, ${to.length})`
    case 'integer':
      return `case when abs(${number}) < 1e${to.digits} then cast(round(${number}) as integer) end`
    case 'decimal': {
      const scale = to.scale ?? 0
      return `case when abs(${number}) < 1e${(to.precision ?? 15) - scale} then round(${number}, ${scale}) end`
    }
    case 'float':
      return `cast(${number} as real)`
    case 'boolean':
      return `case when lower(${trimmed}) in ('true', 't', '1') then 1 when lower(${trimmed}) in ('false', 'f', '0') then 0 end`
    case 'date':
    case 'datetime':
      return `case when ${trimmed} glob '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*' then ${to.kind}(${trimmed}) end`
    case 'time':
      return `case when ${trimmed} glob '[0-9][0-9]:[0-9][0-9]*' then time(${trimmed}) end`
    case 'json':
      return `case when json_valid(${value}) then cast(${value} as text) else json_quote(${value}) end`
    default:
      return 'null'
  }
}

/** Whether a value (not NULL) would not stay as it is. */
export function isLost(column: string, to: ColumnFamily): string {
  const converted = conversion(column, to)
  const text = `cast(${quote(column)} as text)`
  if (to.kind === 'string') return to.length === undefined ? 'false' : `length(${text}) > ${to.length}`
  if (to.kind === 'integer' || to.kind === 'decimal')
    return `case when (${converted}) is null then true else (${converted}) <> ${numberOf(column)} end`
  return `(${converted}) is null${to.kind === 'date' ? ` or ${hasTime(`trim(${text})`)}` : ''}`
}

function numberOf(column: string): string {
  const value = quote(column)
  const trimmed = `trim(cast(${value} as text))`
  return `cast(case when typeof(${value}) in ('integer', 'real') then ${value} when ${isNumeric(trimmed)} then ${trimmed} end as numeric)`
}

function isNumeric(text: string): string {
  const digits = `ltrim(${text}, '+-')`
  return `(${digits} glob '[0-9]*' and ${digits} not glob '*[^0-9.]*' and ${digits} not glob '*.*.*')`
}
