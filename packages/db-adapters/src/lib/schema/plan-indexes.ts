import { StoreError } from '@steward/rest-core/errors'
import type { Change, ChangeOf } from './changes.js'
import { isOwnName, ownName, type OwnKind } from './names.js'
import type { PlannedColumns } from './plan-columns.js'
import type { PlanContext } from './plan-context.js'
import type { IndexInfo, TableInfo } from './table-info.js'
import type { WantedTable } from './wanted.js'

interface WantedIndex {
  readonly columns: readonly string[]
  readonly kind: OwnKind
}

/** Adds the indexes that are missing; drops those that `sync` has made and nothing needs any more. */
export function planIndexes(
  wanted: WantedTable,
  actual: TableInfo | undefined,
  columns: PlannedColumns,
  context: PlanContext,
): Change[] {
  const { lookup, types } = context
  const own = (actual?.indexes ?? []).filter(({ name }) => isOwnName(name))
  const changing = own.filter((index) => types.indexDependsOnType && !index.unique && isChanged(index))
  const existing = [...own.filter((index) => !changing.includes(index)), ...othersOf(actual)]

  const changes: Change[] = []
  const used = new Set<IndexInfo>()
  for (const index of wantedIndexes(wanted, columns, context)) {
    const found = existing.find((each) => satisfies(each, index))
    if (found) used.add(found)
    else changes.push(addIndex(wanted.name, index))
  }
  for (const index of own) {
    if (!used.has(index)) {
      const beforeChanges = !types.foreignKeysNeedIndexes || changing.includes(index)
      changes.push({ kind: 'dropIndex', table: wanted.name, name: index.name, beforeChanges })
    }
  }
  return changes

  function satisfies(there: IndexInfo, { columns: names, kind }: WantedIndex): boolean {
    if (!there.plain) return false
    if (kind !== 'index') return there.unique && lookup.sameColumns(there.columns, names)
    // A unique one of our own, which no field wants any more, would keep refusing values.
    if (isOwnName(there.name)) return !there.unique && lookup.sameColumns(there.columns, names)
    return lookup.sameColumns(there.columns.slice(0, names.length), names)
  }

  function isChanged(index: IndexInfo): boolean {
    return wanted.columns.some(
      ({ name }) => columns.of(name).changed && index.columns.some((each) => lookup.sameColumn(each, name)),
    )
  }

  function addIndex(table: string, { columns: names, kind }: WantedIndex): ChangeOf<'addIndex'> {
    const unique = kind !== 'index'
    const families = names.map((name) => columns.of(name).type)
    const reason = unique ? types.uniqueLimit(families) : undefined
    if (reason !== undefined) {
      throw new StoreError('schema', `Cannot make a unique index over ${table} (${names.join(', ')}): ${reason}`)
    }
    const name = context.giveName(ownName(kind, table, names))
    return { kind: 'addIndex', table, name, columns: names, families, unique }
  }
}

/** An index that begins with a column serves the filters on it. */
function wantedIndexes(
  { key: primary, uniques, indexed }: WantedTable,
  columns: PlannedColumns,
  { lookup, types }: PlanContext,
): WantedIndex[] {
  const there = [primary, ...uniques.map((unique) => unique.columns)]
  const others = indexed.filter(
    (names) =>
      names.every((name) => types.isIndexable?.(columns.of(name).type) ?? true) &&
      !there.some((each) => lookup.sameColumns(each.slice(0, names.length), names)),
  )
  return [
    ...uniques.map(({ columns: names, key }) => ({
      columns: names,
      kind: key ? ('key' as const) : ('unique' as const),
    })),
    ...others.map((names) => ({ columns: names, kind: 'index' as const })),
  ]
}

/** Indexes of the owner, and the one of the primary key. */
function othersOf(actual: TableInfo | undefined): IndexInfo[] {
  if (!actual) return []
  const primary: IndexInfo[] =
    actual.primaryKey.length > 0 ? [{ name: '', columns: actual.primaryKey, unique: true, plain: true }] : []
  return [...primary, ...actual.indexes.filter(({ name }) => !isOwnName(name))]
}
