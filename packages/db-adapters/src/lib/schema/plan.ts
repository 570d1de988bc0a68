import type { Model, SyncPlan } from '@steward/rest-core'
import { StoreError } from '@steward/rest-core/errors'
import { inOrder, namesOf, titleOfType, type Change } from './changes.js'
import type { Catalogue, TypeRules } from './dialect.js'
import { lookupIn, type Lookup } from './lookup.js'
import { nameGiver } from './names.js'
import { planColumns, type PlannedColumns } from './plan-columns.js'
import { planForeignKeys } from './plan-foreign-keys.js'
import { planIndexes } from './plan-indexes.js'
import { isElsewhere, type PlanContext } from './plan-context.js'
import { planWordIndexes } from './plan-word-indexes.js'
import { applyRenames, findRenames } from './renames.js'
import type { TableInfo } from './table-info.js'
import { wantedTables, type WantedTable } from './wanted.js'

export interface Planned {
  /** In the order in which they are carried out. */
  readonly changes: readonly Change[]
  readonly leftover: SyncPlan['leftover']
}

/**
 * What must change so that the tables fit the model; pure. Tables are never dropped; columns that no field uses are
 * dropped when `destructive` is set, except from mapped tables.
 *
 * @throws StoreError `schema` when a table cannot serve its object.
 */
export function planChanges(model: Model, catalogue: Catalogue, types: TypeRules, destructive = false): Planned {
  const { foldTable } = lookupIn(catalogue)
  const wanted = wantedTables(model, foldTable, types.enforcedRule)
  const renames = findRenames(wanted, catalogue)
  const current = applyRenames(catalogue, renames)
  const names = current.tables
    .flatMap((table) => [table, ...table.indexes, ...table.foreignKeys])
    .map(({ name }) => name)
  const context: PlanContext = {
    types,
    lookup: lookupIn(current),
    wanted: new Map(wanted.map((table) => [foldTable(table.name), table])),
    giveName: nameGiver([...names, ...wanted.map(({ name }) => name)]),
  }
  const changes: Change[] = [...renames]
  const leftover: { table: string; column: string }[] = []
  for (const table of wanted) {
    const planned = planTable(table, context)
    changes.push(...planned.changes)
    leftover.push(...planned.leftover.map((column) => ({ table: table.name, column })))
  }
  if (destructive) changes.push(...leftover.map((each) => ({ kind: 'dropColumn' as const, ...each })))
  for (const change of changes) checkNames(change, types)
  return { changes: inOrder(changes), leftover }
}

function planTable(wanted: WantedTable, context: PlanContext): { changes: Change[]; leftover: string[] } {
  const actual = context.lookup.table(wanted.name)
  // A view shows what it shows; there is nothing to make.
  if ((actual && actual.kind !== 'table') || isElsewhere(wanted.name, context)) return { changes: [], leftover: [] }
  if (actual) checkId(wanted, actual, context)

  const columns = planColumns(wanted, actual, context)
  const changes: Change[] = actual ? [...columns.changes] : [createTable(wanted, columns, context)]
  changes.push(...planIndexes(wanted, actual, columns, context), ...planForeignKeys(wanted, actual, columns, context))
  changes.push(...planWordIndexes(wanted, actual, context))
  return { changes, leftover: actual && !wanted.mapped ? unused(wanted, actual, context) : [] }
}

function createTable(
  { name: table, id, key, columns }: WantedTable,
  planned: PlannedColumns,
  { types }: PlanContext,
): Change {
  const reason = id ? undefined : types.uniqueLimit(key.map((name) => planned.of(name).type))
  if (reason !== undefined)
    throw new StoreError('schema', `Cannot make a primary key over ${table} (${key.join(', ')}): ${reason}`)
  return {
    kind: 'createTable',
    table,
    id: id && { ...id, declaration: types.column({ kind: 'id', values: id.values }).declaration },
    key,
    columns: columns.map(({ name, type }) => ({
      name,
      declaration: key.includes(name) ? `${planned.of(name).declaration} not null` : planned.of(name).declaration,
      title: titleOfType(type),
    })),
  }
}

function unused(wanted: WantedTable, actual: TableInfo, { lookup }: PlanContext): string[] {
  const used = new Set(
    [...(wanted.id ? [wanted.id] : []), ...wanted.columns].map(({ name }) => lookup.foldColumn(name)),
  )
  return actual.columns.map(({ name }) => name).filter((name) => !used.has(lookup.foldColumn(name)))
}

function checkId(wanted: WantedTable, actual: TableInfo, { lookup, types }: PlanContext): void {
  if (!wanted.id) return checkKey(wanted, actual, lookup)
  const { name, values } = wanted.id
  const found = lookup.column(actual, name)
  const object = `object "${wanted.objects[0]}"`
  if (!found) {
    if (actual.implicitId !== undefined && isRowId(name)) return
    const text = `Table "${wanted.name}" is there, but has no column "${name}" for the row id of ${object}. Map its primary key: fields: { row_id: { type: 'id', column: … } }, or give the object another table.`
    throw new StoreError('schema', text)
  }
  if (!types.serves({ kind: 'id', values }, found.type)) {
    const text = `Column "${name}" of table "${wanted.name}" is ${found.declaration}; it cannot hold the ${values} row id of ${object}. Set "values" of field "row_id".`
    throw new StoreError('schema', text)
  }
}

/** The columns must identify rows, or one row id would be that of several. */
function checkKey({ key, name, objects }: WantedTable, actual: TableInfo, lookup: Lookup): void {
  const missing = key.find((each) => !lookup.column(actual, each))
  const unique = [
    actual.primaryKey,
    ...actual.indexes.filter((index) => index.unique && index.plain).map(({ columns }) => columns),
  ]
  if (missing === undefined && unique.some((columns) => lookup.sameColumns(columns, key))) return
  const why =
    missing === undefined ? `has no primary key or unique index of (${key.join(', ')})` : `has no column "${missing}"`
  const text = `Table "${name}" is there, but ${why} for the row id of object "${objects[0]}". Name the columns of its key in field "row_id", or give the object another table.`
  throw new StoreError('schema', text)
}

function isRowId(name: string): boolean {
  return ['rowid', '_rowid_', 'oid'].includes(name.toLowerCase())
}

/** A name that the database would cut silently could never be found again. */
function checkNames(change: Change, types: TypeRules): void {
  const names =
    change.kind === 'createTable'
      ? [change.table, ...namesOf(change)]
      : change.kind === 'addColumn'
        ? [change.column.name]
        : change.kind === 'renameTable'
          ? [change.table]
          : change.kind === 'renameColumn'
            ? [change.column]
            : []
  const long = names.find((name) => Buffer.byteLength(name) > types.longestName)
  if (long === undefined) return
  throw new StoreError(
    'schema',
    `The name "${long}" is too long for this database, which keeps ${types.longestName} bytes. Set a shorter "table" or "column".`,
  )
}
