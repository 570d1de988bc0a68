import type { ColumnFamily } from './table-info.js'

/**
 * How what is there compares with what is wanted: `wider` columns hold all wanted values, `narrower` ones could be made
 * wider without touching a value, `different` ones have another kind of value.
 */
export type TypeRelation = 'same' | 'wider' | 'narrower' | 'different'

export function relate(wanted: ColumnFamily, actual: ColumnFamily): TypeRelation {
  const wide = holds(actual, wanted)
  const narrow = holds(wanted, actual)
  if (wide && narrow) return 'same'
  if (wide) return 'wider'
  return narrow ? 'narrower' : 'different'
}

/** Every value of `inner` is a value of `outer`, stored alike. */
function holds(outer: ColumnFamily, inner: ColumnFamily): boolean {
  if (outer.kind === 'string' && inner.kind === 'string') {
    return (outer.length ?? Infinity) >= (inner.length ?? Infinity)
  }
  if (outer.kind === 'integer' && inner.kind === 'integer')
    return outer.digits >= inner.digits && (!outer.unsigned || inner.unsigned === true)
  if (isDecimal(outer) && isDecimal(inner) && outer.kind === inner.kind) {
    return wholeDigits(outer) >= wholeDigits(inner) && scaleOf(outer) >= scaleOf(inner)
  }
  // The store that keeps decimals as text rewrites the old ones when a column grows.
  if (outer.kind === 'decimalText' && inner.kind === 'decimal')
    return wholeDigits(outer) >= wholeDigits(inner) && scaleOf(outer) >= scaleOf(inner)
  if (isDecimal(outer) && inner.kind === 'integer') return wholeDigits(outer) >= inner.digits
  if (outer.kind === 'float' && inner.kind === 'float') return outer.storage !== 'single' || inner.storage === 'single'
  if ((outer.kind === 'datetime' || outer.kind === 'time') && outer.kind === inner.kind)
    return (outer.fraction ?? inner.fraction ?? 0) >= (inner.fraction ?? 0)
  if (outer.kind === 'enum' && inner.kind === 'enum') return inner.values.every((value) => outer.values.includes(value))
  return outer.kind === inner.kind
}

type Decimal = Extract<ColumnFamily, { kind: 'decimal' | 'decimalText' }>

function isDecimal(family: ColumnFamily): family is Decimal {
  return family.kind === 'decimal' || family.kind === 'decimalText'
}

function wholeDigits({ precision, scale }: Decimal): number {
  return precision === undefined ? Infinity : precision - (scale ?? 0)
}

function scaleOf({ precision, scale }: Decimal): number {
  return scale ?? (precision === undefined ? Infinity : 0)
}
