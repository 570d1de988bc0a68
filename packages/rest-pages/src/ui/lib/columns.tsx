import type { FieldMetadata, ObjectMetadata } from '@steward/rest-core'
import type { Column } from '@steward/page-kit'
import { kindOf } from '@steward/page-kit/field-kinds'
import type { AnyRecord } from '@steward/rest-client'
import { useState } from 'preact/hooks'
import { isRowId } from './filters.js'
import { labelOf } from './service.js'
import { pathTo } from './settings.js'
import { Value } from './value.js'

/** Shown unless the user chose others. */
const standard = 7

/** Fields that a list can show: what the service lets the user see there, but for what no cell can hold. */
export function listFields({ fields }: ObjectMetadata): readonly FieldMetadata[] {
  const isShown = (field: FieldMetadata) =>
    field.visible && !isRowId(field) && !['password', 'file', 'json', 'long'].includes(kindOf(field))
  const shown = fields.filter(isShown)
  return [
    ...shown.filter(({ key, ref }) => key && ref === null),
    ...shown.filter(({ key, ref }) => !key || ref !== null),
  ]
}

/** A column of a table of records; the first leads to the record. */
export function columnOf(metadata: ObjectMetadata, field: FieldMetadata, at: number): Column<AnyRecord> {
  return {
    id: field.name,
    title: labelOf(field, metadata),
    ...(kindOf(field) === 'number' && at > 0 && { align: 'end' as const }),
    ...(at === 0 && { onCard: 'title' as const }),
    ...(at > 4 && { wideOnly: true }),
    cell(record) {
      const value = <Value field={field} value={record[field.name]} />
      return at === 0 ? <a href={pathTo(metadata.name, record.row_id)}>{value}</a> : value
    },
  }
}

export interface ChosenColumns {
  readonly fields: readonly FieldMetadata[]
  /** Kept in this browser; `undefined`: the standard ones again. */
  readonly choose: (names: readonly string[] | undefined) => void
}

export function useColumns(metadata: ObjectMetadata): ChosenColumns {
  const key = `steward.columns ${metadata.name}`
  const [, draw] = useState(0)
  const all = listFields(metadata)
  const names = chosen(key)
  const kept = all.filter(({ name }) => names?.includes(name))
  return {
    fields: kept.length > 0 ? kept : all.slice(0, standard),
    choose(names) {
      if (names === undefined) localStorage.removeItem(key)
      else localStorage.setItem(key, JSON.stringify(names))
      draw((turn) => turn + 1)
    },
  }
}

function chosen(key: string): readonly unknown[] | undefined {
  try {
    const read: unknown = JSON.parse(localStorage.getItem(key) ?? 'null')
    return Array.isArray(read) ? read : undefined
  } catch {
    return undefined
  }
}
