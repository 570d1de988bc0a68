import type { ColumnType, SyncStep } from '@steward/rest-core'
import type { ColumnFamily, ColumnInfo, ForeignKeyInfo } from './table-info.js'

export type ReferenceRule = Exclude<ForeignKeyInfo['onDelete'], 'other'>

export interface NewColumn {
  readonly name: string
  readonly declaration: string
  /** For people, e.g. `string(255)`. */
  readonly title: string
}

/** One step of a plan with all that is needed to write its SQL. Names are those after the renames of the same plan. */
export type Change =
  | { readonly kind: 'renameTable'; readonly table: string; readonly from: string }
  | { readonly kind: 'renameColumn'; readonly table: string; readonly column: string; readonly from: string }
  | {
      readonly kind: 'createTable'
      readonly table: string
      /** `declaration` is that of a string id; integers are given by the database. */
      readonly id:
        | { readonly name: string; readonly values: 'integer' | 'string'; readonly declaration: string }
        | undefined
      /** Columns among the others that are the primary key, where there is no `id`. */
      readonly key: readonly string[]
      readonly columns: readonly NewColumn[]
    }
  /** `mark` names a column that says which query it is. */
  | { readonly kind: 'createView'; readonly table: string; readonly query: string; readonly mark: string }
  | { readonly kind: 'dropView'; readonly table: string }
  | { readonly kind: 'addColumn'; readonly table: string; readonly column: NewColumn }
  | {
      readonly kind: 'changeColumn'
      readonly table: string
      readonly column: string
      readonly actual: ColumnInfo
      readonly wanted: { readonly declaration: string; readonly family: ColumnFamily }
      readonly title: string
      /** Every value that is there fits as it is. */
      readonly widening: boolean
    }
  | { readonly kind: 'dropColumn'; readonly table: string; readonly column: string }
  | {
      readonly kind: 'addIndex'
      readonly table: string
      readonly name: string
      readonly columns: readonly string[]
      readonly families: readonly ColumnFamily[]
      readonly unique: boolean
    }
  | { readonly kind: 'dropIndex'; readonly table: string; readonly name: string; readonly beforeChanges: boolean }
  | {
      readonly kind: 'addForeignKey'
      readonly table: string
      readonly name: string
      readonly columns: readonly string[]
      readonly target: string
      readonly targetColumns: readonly string[]
      readonly onDelete: ReferenceRule
    }
  | {
      readonly kind: 'dropForeignKey'
      readonly table: string
      readonly name: string
      readonly columns: readonly string[]
    }
  /** What finds rows by the words in a column. */
  | {
      readonly kind: 'addWordIndex'
      readonly table: string
      readonly name: string
      readonly column: string
      /** What identifies the rows of the table; `declaration` gives a column that can refer to it. */
      readonly ids: readonly { readonly name: string; readonly declaration: string }[]
    }
  | { readonly kind: 'dropWordIndex'; readonly table: string; readonly name: string; readonly column: string }

export type ChangeOf<K extends Change['kind']> = Extract<Change, { kind: K }>

/**
 * Views go first and come last; old names give way before new ones; foreign keys go before the columns and indexes they need, and come when both ends are there;
 * a new index is there before an old one goes, because MySQL needs one for each foreign key at all times.
 */
const phases = [
  (change: Change) => change.kind === 'dropView',
  (change: Change) => change.kind === 'renameTable',
  (change: Change) => change.kind === 'renameColumn',
  (change: Change) => change.kind === 'dropForeignKey',
  (change: Change) => change.kind === 'dropWordIndex',
  (change: Change) => change.kind === 'dropIndex' && change.beforeChanges,
  (change: Change) => change.kind === 'createTable',
  (change: Change) => change.kind === 'addColumn',
  (change: Change) => change.kind === 'changeColumn',
  (change: Change) => change.kind === 'addIndex',
  (change: Change) => change.kind === 'addWordIndex',
  (change: Change) => change.kind === 'dropIndex',
  (change: Change) => change.kind === 'dropColumn',
  (change: Change) => change.kind === 'addForeignKey',
  (change: Change) => change.kind === 'createView',
]

/** The changes in an order in which each finds what it needs. */
export function inOrder(changes: readonly Change[]): Change[] {
  const phaseOf = (change: Change): number => phases.findIndex((belongs) => belongs(change))
  return changes.toSorted((a, b) => phaseOf(a) - phaseOf(b))
}

export function stepOf(change: Change): SyncStep {
  const column = columnOf(change)
  return {
    kind: kindOf(change),
    table: change.table,
    ...(column === undefined ? {} : { column }),
    description: describe(change),
    destructive: change.kind === 'dropColumn' || (change.kind === 'changeColumn' && !change.widening),
  }
}

function kindOf({ kind }: Change): SyncStep['kind'] {
  if (kind === 'addWordIndex') return 'addIndex'
  return kind === 'dropWordIndex' ? 'dropIndex' : kind
}

function columnOf(change: Change): string | undefined {
  if (change.kind === 'addColumn') return change.column.name
  if (change.kind === 'addForeignKey' || change.kind === 'dropForeignKey')
    return change.columns.length === 1 ? change.columns[0] : undefined
  return 'column' in change ? change.column : undefined
}

function describe(change: Change): string {
  const { table } = change
  switch (change.kind) {
    case 'renameTable':
      return `rename table ${change.from} to ${table}`
    case 'renameColumn':
      return `rename column ${table}.${change.from} to ${change.column}`
    case 'createTable':
      return `create table ${table} (${namesOf(change).join(', ')})`
    case 'createView':
      return `create view ${table}`
    case 'dropView':
      return `drop view ${table}`
    case 'addColumn':
      return `add column ${table}.${change.column.name} (${change.column.title})`
    case 'changeColumn':
      return `change column ${table}.${change.column} from ${titleOfFamily(change.actual.type)} to ${change.title}`
    case 'dropColumn':
      return `drop column ${table}.${change.column}`
    case 'addIndex':
      return `add ${change.unique ? 'unique ' : ''}index ${table} (${change.columns.join(', ')})`
    case 'dropIndex':
      return `drop index ${change.name} of ${table}`
    case 'addForeignKey':
      return `add foreign key ${table}.${listed(change.columns)} to ${change.target} (on delete: ${change.onDelete})`
    case 'addWordIndex':
      return `add full-text index ${table} (${change.column})`
    case 'dropWordIndex':
      return `drop full-text index ${change.name} of ${table}`
    case 'dropForeignKey':
      return `drop foreign key ${table}.${listed(change.columns)}`
  }
}

function listed(columns: readonly string[]): string {
  return columns.length === 1 ? (columns[0] as string) : `(${columns.join(', ')})`
}

/** All columns of a new table. */
export function namesOf({ id, columns }: ChangeOf<'createTable'>): readonly string[] {
  const names = columns.map(({ name }) => name)
  return id ? [id.name, ...names] : names
}

/** A column type for people, e.g. `decimal(15,2)`. */
export function titleOfType(type: ColumnType): string {
  if (type.kind === 'string') return `string(${type.length})`
  if (type.kind === 'integer') return `integer(${type.precision})`
  if (type.kind === 'decimal')
    return type.storage ? `decimal (${type.storage})` : `decimal(${type.precision},${type.scale})`
  return type.kind
}

function titleOfFamily(family: ColumnFamily): string {
  if (family.kind === 'string') return family.length === undefined ? 'text' : `string(${family.length})`
  if (family.kind === 'integer') return `integer(${family.digits})`
  if ((family.kind === 'decimal' || family.kind === 'decimalText') && family.precision !== undefined) {
    return `decimal(${family.precision},${family.scale ?? 0})`
  }
  return family.kind === 'decimalText' ? 'decimal' : family.kind
}
