import type { Filter, Guard, ObjectModel, ReferenceModel } from '@steward/rest-core'
import type { Columns } from './columns.js'
import { filterKey } from './filter.js'

/** What a linked row must match to be joined. */
export interface BoundGuard {
  readonly where: Filter
  /** The linked object's columns. */
  readonly columns: Columns
  /** Where the values of `where` start. */
  readonly first: number
}

/** By the chain of references that leads to the linked row. */
export type BoundGuards = ReadonlyMap<string, BoundGuard>

type ColumnsOf = (object: ObjectModel) => Columns

/** Describes the guards without their values, and collects those. */
export function guardsKey(guards: readonly Guard[], columnsOf: ColumnsOf, values: unknown[]): string {
  let key = ''
  for (const { path, where } of guards)
    key += `{${chainOf(path)} ${filterKey(where, columnsOf(targetOf(path)), values)}}`
  return key
}

/** @param first Place of their first value. */
export function bindGuards(guards: readonly Guard[], columnsOf: ColumnsOf, first: number): BoundGuards {
  let at = first
  return new Map(
    guards.map(({ path, where }) => {
      const columns = columnsOf(targetOf(path))
      const values: unknown[] = []
      filterKey(where, columns, values)
      const guard = { where, columns, first: at }
      at += values.length
      return [chainOf(path), guard]
    }),
  )
}

export function chainOf(path: readonly ReferenceModel[]): string {
  return path.map(({ name }) => name).join('__')
}

function targetOf(path: readonly ReferenceModel[]): ObjectModel {
  return (path.at(-1) as ReferenceModel).target
}
