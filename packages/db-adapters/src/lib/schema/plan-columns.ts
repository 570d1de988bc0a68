import type { ColumnType } from '@steward/rest-core'
import type { ChangeOf } from './changes.js'
import { titleOfType } from './changes.js'
import type { PlanContext } from './plan-context.js'
import type { ColumnFamily, ColumnInfo, TableInfo } from './table-info.js'
import { relate } from './type-relation.js'
import type { WantedColumn, WantedTable } from './wanted.js'

export interface PlannedColumns {
  readonly changes: readonly (ChangeOf<'addColumn'> | ChangeOf<'changeColumn'>)[]
  /** A column as it will be. */
  of(name: string): PlannedColumn
}

export interface PlannedColumn {
  readonly declaration: string
  readonly type: ColumnFamily
  readonly changed: boolean
}

export function planColumns(wanted: WantedTable, actual: TableInfo | undefined, context: PlanContext): PlannedColumns {
  const changes: (ChangeOf<'addColumn'> | ChangeOf<'changeColumn'>)[] = []
  const planned = new Map<string, PlannedColumn>()
  for (const column of wanted.columns) {
    const there = actual && context.lookup.column(actual, column.name)
    const target = declarationOf(column, context)
    const title = titleOfType(column.type)
    const step = there && stepFor(column, there, target.family, wanted.mapped, context)
    if (step) {
      const { name: table } = wanted
      changes.push({
        kind: 'changeColumn',
        table,
        column: column.name,
        actual: there,
        wanted: target,
        title,
        widening: step === 'widen',
      })
    } else if (!there && actual) {
      changes.push({
        kind: 'addColumn',
        table: wanted.name,
        column: { name: column.name, declaration: target.declaration, title },
      })
    }
    const stays = there && !step
    planned.set(column.name, {
      declaration: stays ? there.declaration : target.declaration,
      type: stays ? there.type : target.family,
      changed: step !== undefined,
    })
  }
  return { changes, of: (name) => planned.get(name) as PlannedColumn }
}

/** What has to happen to a column that is there; undefined: nothing. */
function stepFor(
  column: WantedColumn,
  there: ColumnInfo,
  family: ColumnFamily,
  mapped: boolean,
  { types }: PlanContext,
): 'widen' | 'convert' | undefined {
  // What the database computes cannot be changed or written.
  if (there.generated) return undefined
  // The type of a new column may hold more than the field needs.
  const needed: ColumnFamily =
    mapped && column.type.kind === 'string' ? { kind: 'string', length: column.type.length } : family
  switch (relate(needed, there.type)) {
    case 'same':
      return undefined
    case 'wider':
      return mapped || column.reference ? undefined : 'convert'
    case 'narrower':
      return mapped && (column.reference || !types.sizesBind || isWithinRange(column.type, there.type))
        ? undefined
        : 'widen'
    case 'different':
      return mapped && types.serves(column.type, there.type) ? undefined : 'convert'
  }
}

/** A definition with one digit more than always fit uses the full range of the column (and says so by `min` and `max`). */
function isWithinRange(wanted: ColumnType, actual: ColumnFamily): boolean {
  return wanted.kind === 'integer' && actual.kind === 'integer' && wanted.precision <= actual.digits + 1
}

/** A reference is declared like the row id it points at, which may be a column of an existing table. */
function declarationOf(
  column: WantedColumn,
  { types, lookup }: PlanContext,
): { declaration: string; family: ColumnFamily } {
  const own = types.column(column.type)
  if (!column.reference) return own
  const target = lookup.table(column.reference.table)
  const id = target && lookup.column(target, column.reference.column)
  return id && id.type.kind !== 'any' ? { declaration: id.declaration, family: id.type } : own
}
