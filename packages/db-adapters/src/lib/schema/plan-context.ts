import type { TypeRules } from './dialect.js'
import type { Lookup } from './lookup.js'
import type { WantedTable } from './wanted.js'

/** What planning one table has to know about all of them. */
export interface PlanContext {
  readonly types: TypeRules
  /** Tables that are there, renames done. */
  readonly lookup: Lookup
  /** By folded name. */
  readonly wanted: ReadonlyMap<string, WantedTable>
  /** A free name for an index or a foreign key. */
  readonly giveName: (name: string) => string
}

/** The table is in another schema. */
export function isElsewhere(table: string, { types }: PlanContext): boolean {
  return types.schemasInNames && table.includes('.')
}
