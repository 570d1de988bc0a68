import type { ColumnFamily } from './table-info.js'

/** Every value is a whole number. */
export function isWhole(family: ColumnFamily): boolean {
  return (
    family.kind === 'integer' ||
    family.kind === 'year' ||
    (family.kind === 'decimal' && family.precision !== undefined && (family.scale ?? 0) === 0)
  )
}

/** Why columns of that many bytes cannot have a unique index; undefined when they can. */
export function tooLongForIndex(bytes: number, most: number): string | undefined {
  if (bytes <= most) return undefined
  return `its columns may have ${bytes === Infinity ? 'any number of' : bytes} bytes, and an index of this database has at most ${most}. Give the fields a shorter "length".`
}
