import { keySeparator, readBytes } from '@steward/rest-core'
import type { BusinessRecord, FieldValue } from '@steward/rest-core'
import { readsOf, type Column, type KeyPart } from './columns.js'
import type { Dialect, Present } from './dialect.js'
import { readTextOrBytes } from './text-or-bytes.js'

/**
 * Makes the function that turns one row (an array in the order of the columns) into a record.
 *
 * The function is compiled from source, because an object literal gives all records one hidden class and is several
 * times faster than setting properties by name in a loop. Only field names of the model get into the source, as strings.
 */
export function compileDecoder(
  columns: readonly Column[],
  dialect: Dialect,
): (row: readonly unknown[]) => BusinessRecord {
  const functions: ((value: Present) => FieldValue)[] = []
  const { places } = readsOf(columns)
  const entries = columns.map((column, index) => {
    const [place] = places[index] as readonly number[]
    const value = `row[${place}]`
    const key = `[${JSON.stringify(column.name)}]`
    if (column.parts) return `${key}: ${idSource(column.parts, places[index] as readonly number[])}`
    const { type } = column
    const decode =
      (type.kind === 'bytes' ? readBytes(type) : dialect.decode(type)) ?? (column.empty === '' ? String : undefined)
    if (!decode) return `${key}: ${value}`
    const at = functions.push(decode) - 1
    const ready = decode === String || decode === readTextOrBytes ? `typeof ${value} === 'string' ? ${value} : ` : ''
    return `${key}: ${ready}${value} === null ? ${JSON.stringify(column.empty)} : decode${at}(${value})`
  })
  const names = functions.map((_, at) => `decode${at}`)
  // oxlint-disable-next-line typescript/no-implied-eval -- see above
  const make = new Function(...names, `'use strict'\nreturn row => ({ ${entries.join(', ')} })`) as (
    ...decoders: typeof functions
  ) => (row: readonly unknown[]) => BusinessRecord
  return make(...functions)

  /** A row id of several columns; empty when one of them is NULL. */
  function idSource(parts: readonly KeyPart[], at: readonly number[]): string {
    const missing = at.map((place) => `row[${place}] === null`).join(' || ')
    const texts = parts.map(({ read, text }, part) => {
      // The number that the driver gives is the value.
      if (read.type.kind === 'integer' && !dialect.decode(read.type)) return `String(row[${at[part]}])`
      const decode = dialect.decode(read.type) ?? (read.empty === '' ? String : (value: Present) => value as FieldValue)
      return `decode${functions.push((value) => text(decode(value))) - 1}(row[${at[part]}])`
    })
    return `${missing} ? "" : ${texts.join(` + ${JSON.stringify(keySeparator)} + `)}`
  }
}
